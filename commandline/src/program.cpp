#include "letterpress/commandline/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>

#include "command_line.h"
#include "letterpress/base/cpu.h"
#include "letterpress/base/error.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/parallel.h"
#include "letterpress/commandline/terminal_text.h"

namespace letterpress {
namespace {

StopRequest from_signals;
static_assert(std::atomic<int>::is_always_lock_free);

constexpr unsigned kGrace_s = 1;
std::atomic<bool> ends_soon{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::int64_t kOneRequest_ns = std::chrono::nanoseconds(kOneRequest).count();
std::atomic<std::int64_t> first_at_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void on_signal(int signal) {
  if (from_signals.make(signal) == 0) {
    first_at_ns = now_ns();
    if (ends_soon) alarm(kGrace_s);
  } else if (now_ns() - first_at_ns > kOneRequest_ns) {
    _exit(128 + signal);
  }
}

extern "C" void on_alarm(int) {
  constexpr std::string_view kText = "stopped in the middle of its work; what is finished stays\n";
  [[maybe_unused]] const ssize_t written = write(2, kText.data(), kText.size());
  _exit(128 + from_signals.signal());
}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : signals_that_stop()) sigaction(signal, &action, nullptr);
  // Their calls fail instead, with an error that names the file.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

// Numbers of standard streams that the caller closed (`2>&-`): else the next file that is opened
// would get one, and what is said would be written into it. Reading and writing them fails as ever.
void occupy_closed_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    if (open("/dev/null", O_PATH) < 0) open("/", O_PATH);
  }
}

// What programs read of a failure: the last line on stdout.
std::string failure_json(const Message& message, Exit exit, const std::string& store) {
  nlohmann::ordered_json json{{"outcome", "failed"}};
  if (!store.empty()) json["store"] = store;
  json.update({{"exit_code", static_cast<int>(exit)},
               {"where", message.where},
               {"what", message.what},
               {"fix", message.fix}});
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void end_soon_when_stopped() noexcept {
  signal(SIGALRM, on_alarm);
  ends_soon = true;
  if (from_signals) alarm(kGrace_s);  // it came before
}

EndsSoonWhenStopped::~EndsSoonWhenStopped() {
  ends_soon = false;
  alarm(0);
}

const StopRequest& stop_by_signal() noexcept { return from_signals; }

int run_program(const std::string& program, const std::string& summary,
                const std::vector<Command>& commands, int argc, char** argv) {
  occupy_closed_streams();
  install_signal_handlers();
  const std::vector<std::string> words(argv + 1, argv + argc);
  Selection selected{.title = program};
  const auto say = [&](const Message& message, Exit exit) {
    std::cerr << fmt::format("{}: {}\n", selected.title, terminal_text(to_string(message)))
              << std::flush;
    return static_cast<int>(exit);
  };
  const auto complain = [&](const Message& message, Exit exit) {
    if (selected.json) std::cout << failure_json(message, exit, selected.store) << std::endl;
    return say(message, exit);
  };
  const auto ended = [&](int code) {
    std::cout.flush();
    return std::cout ? code
                     : complain({.where = "standard output",
                                 .what = "cannot be written",
                                 .fix = "is its disk full or its reader gone?"},
                                Exit::io);
  };
  try {
    check_cpu_choice();
    CommandLine line(program, summary, commands);
    selected = line.parse(words, selected);
    return ended(selected.run());
  } catch (const ToldError& error) {
    return say(error.message(), error.exit());
  } catch (const Error& error) {
    return complain(error.message(), error.exit());
  } catch (const std::filesystem::filesystem_error& refused) {
    const Error error = error_of(refused);
    return complain(error.message(), error.exit());
  } catch (const std::bad_alloc&) {
    return complain({.what = "out of memory",
                     .fix = "fewer --threads, and where there is one a smaller --batch, take less"},
                    Exit::io);
  } catch (const std::exception& error) {
    if (const auto shortage = thread_shortage(error))
      return complain(shortage->message(), shortage->exit());
    return complain({.what = std::string("a bug of ours, please report it: ") + error.what()},
                    Exit::bug);
  }
}

}  // namespace letterpress
