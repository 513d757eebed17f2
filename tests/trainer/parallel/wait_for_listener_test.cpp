#include "trainer/parallel/wait_for_listener.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

using namespace letterpress;

namespace {

// A socket of its own with a port that nobody else has; it listens when told.
struct Socket {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  int port = 0;

  Socket() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port = ntohs(address.sin_port);
  }
  ~Socket() { close(descriptor); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
};

}  // namespace

TEST_CASE("somebody who listens later is waited for") {
  Socket socket;
  std::jthread later([&socket] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    listen(socket.descriptor, 4);
  });
  CHECK(wait_for_listener("127.0.0.1", socket.port, 60) == "");
}

TEST_CASE("where nobody listens it is told why, after as long as it is to wait") {
  const Socket socket;
  const auto begun = std::chrono::steady_clock::now();
  CHECK(wait_for_listener("127.0.0.1", socket.port, 0.4) == "Connection refused");
  CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(400));
}

TEST_CASE("a host that nobody knows is told") {
  CHECK(wait_for_listener("no-such-host.invalid", 1, 0) != "");
}
