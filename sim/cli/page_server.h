#pragma once

#include <string>

namespace a3sim {

// Serves one page to browsers on this machine: GET / of 127.0.0.1, and nothing else. A request by another
// name than 127.0.0.1 or localhost is refused, so that no page elsewhere reaches it by a name that leads here.
// (The libraries that Debian has for this bring TLS and compressors, which take longer to load than a run.)
class PageServer {
 public:
  // Port 0: any that is free. Throws RunError where it cannot be had.
  explicit PageServer(int port);
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer();

  int port() const { return port_; }
  // Until SIGINT or SIGTERM comes.
  void serve(const std::string& page) const;

 private:
  void answer(int connection, const std::string& page) const;

  int socket_ = -1, port_ = 0;
};

}  // namespace a3sim
