#include "trainer/parallel/wait_for_listener.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace letterpress {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetween{100};
constexpr int kOneAttempt_ms = 2000;

// Empty: it was connected.
std::string attempt(const addrinfo& at) {
  const int connection =
      socket(at.ai_family, at.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at.ai_protocol);
  if (connection < 0) return std::strerror(errno);
  int fault = connect(connection, at.ai_addr, at.ai_addrlen) == 0 ? 0 : errno;
  if (fault == EINPROGRESS) {
    pollfd connected{connection, POLLOUT, 0};
    socklen_t size = sizeof fault;
    if (poll(&connected, 1, kOneAttempt_ms) <= 0)
      fault = ETIMEDOUT;
    else if (getsockopt(connection, SOL_SOCKET, SO_ERROR, &fault, &size) != 0)
      fault = errno;
  }
  close(connection);
  return fault == 0 ? "" : std::strerror(fault);
}

std::string attempt(const std::string& host, int port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (const int fault = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found))
    return gai_strerror(fault);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  std::string why;
  for (const addrinfo* one = found; one; one = one->ai_next) {
    why = attempt(*one);
    if (why.empty()) break;
  }
  return why;
}

}  // namespace

std::string wait_for_listener(const std::string& host, int port, double patience_s) {
  const auto until = Clock::now() + std::chrono::duration<double>(patience_s);
  while (true) {
    const std::string why = attempt(host, port);
    if (why.empty() || Clock::now() >= until) return why;
    std::this_thread::sleep_for(kBetween);
  }
}

}  // namespace letterpress
