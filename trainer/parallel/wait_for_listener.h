#pragma once
#include <string>

namespace letterpress {

/// Waits until somebody listens at TCP port `port` of a host, whose name need not be known yet, for
/// at most `patience_s` seconds; connects, and closes that again. Empty: somebody does; else why
/// the last attempt failed, as the system says it. Any thread.
std::string wait_for_listener(const std::string& host, int port, double patience_s);

}  // namespace letterpress
