#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace letterpress {

/// A socket that listens at a free port of 127.0.0.1. Whoever asks for it closes it.
struct ListeningSocket {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = 0;
  ListeningSocket() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* where = reinterpret_cast<sockaddr*>(&address);
    if (bind(descriptor, where, size) != 0 || listen(descriptor, SOMAXCONN) != 0 ||
        getsockname(descriptor, where, &size) != 0)
      throw std::runtime_error("no free port");
    port = ntohs(address.sin_port);
  }
};

}  // namespace letterpress
