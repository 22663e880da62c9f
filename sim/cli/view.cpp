#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

#include "sim/cli/command.h"
#include "sim/cli/report_page.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

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

constexpr std::size_t kMostRequest = 16384;  // bytes; browsers' are about a thousand
constexpr int kPatience = 2;                 // seconds for a browser to say or take something
constexpr int kWaiting = 16;                 // connections

volatile std::sig_atomic_t stopped = 0;
void stop(int) { stopped = 1; }

void send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the browser has gone, or is too slow
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void refuse(int connection, std::string_view status) {
  send_all(connection, fmt::format("HTTP/1.1 {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status));
}

// The request's head; empty where none comes in time.
std::string head_of(int connection) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point latest = Clock::now() + std::chrono::seconds(kPatience);
  std::string text;
  char buffer[2048];
  while (text.size() < kMostRequest && Clock::now() < latest) {
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) return "";
    text.append(buffer, static_cast<std::size_t>(got));
    const std::size_t end = text.find("\r\n\r\n");
    if (end != std::string::npos) return text.substr(0, end + 2);
  }
  return "";
}

// The value of a header line; names are in any case.
std::string_view header(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        ::strncasecmp(line.data(), name.data(), name.size()) != 0)
      continue;
    const std::size_t begin = line.find_first_not_of(" \t", name.size() + 1);
    return begin == std::string_view::npos ? ""
                                           : line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
  }
  return "";
}

PageServer::PageServer(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int yes = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (socket_ < 0 || ::bind(socket_, generic, size) != 0 || ::listen(socket_, kWaiting) != 0 ||
      ::getsockname(socket_, generic, &size) != 0) {
    const std::string why = std::strerror(errno);
    if (socket_ >= 0) ::close(socket_);
    throw RunError(fmt::format("--port: {} cannot be used ({}); without it any that is free is", port, why));
  }
  port_ = ntohs(address.sin_port);
}

PageServer::~PageServer() { ::close(socket_); }

void PageServer::answer(int connection, const std::string& page) const {
  const std::string head = head_of(connection);
  if (head.empty()) return;
  const std::string_view host = header(head, "Host");
  const std::string_view name =
      host.substr(0, host.find(':'));  // the port may be another's, through a tunnel
  if (name != "127.0.0.1" && name != "localhost") return refuse(connection, "403 Forbidden");
  if (!head.starts_with("GET ")) return refuse(connection, "405 Method Not Allowed");
  if (!head.starts_with("GET / ")) return refuse(connection, "404 Not Found");
  send_all(
      connection,
      fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n"
                  "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
                  page.size()));
  send_all(connection, page);
}

void PageServer::serve(const std::string& page) const {
  // Without SA_RESTART: the call that waits for a connection ends with the signal.
  struct sigaction action{};
  action.sa_handler = stop;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  while (!stopped) {
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      throw RunError(fmt::format("connections cannot be taken: {}", std::strerror(errno)));
    }
    const timeval patience{.tv_sec = kPatience, .tv_usec = 0};
    ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    answer(connection, page);
    ::close(connection);
  }
}

struct ViewOptions {
  std::vector<std::string> results;
  int port = 0;
};

void view(const ViewOptions& options) {
  const std::string page = report_page(options.results);
  const PageServer server(options.port);
  std::cout << fmt::format("http://127.0.0.1:{}/\n", server.port()) << std::flush;
  server.serve(page);
}

void add_view_options(CLI::App& app, ViewOptions& options) {
  app.add_option("RESULT", options.results,
                 "what 'a3sim report' takes: runs, imported profiles, or one database of sweeps alone")
      ->required();
  app.add_option("--port", options.port, "of 127.0.0.1; without it any that is free")
      ->check(CLI::Range(1, 65535));
}

A3SIM_REGISTER(Command, "view", "Serve the report of runs or sweeps to a browser on this machine",
               Command(add_view_options, view));

}  // namespace
}  // namespace a3sim
