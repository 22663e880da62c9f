#include "sim/network/platform_table.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <new>
#include <sstream>
#include <string_view>

#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/network/platform_module.h"
#include "sim/network/platform_text.h"
#include "sim/network/simgrid_rates.h"

#if defined(__SANITIZE_ADDRESS__)
#define A3SIM_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define A3SIM_SANITIZED
#endif
#endif

namespace a3sim {
namespace {

constexpr int kMostSeconds = 60;
constexpr std::size_t kMostOutput = std::size_t{1} << 29;

// The output of the other process, and how it ended.
struct Reading {
  std::string table, errors;
  bool in_time = true, small = true, loaded = false;
  std::uint32_t from = 0, to = 0;  // the route that it was reading
};

// Loads the module that reads. A process with a network of SimGrid's has an engine already, and SimGrid makes no second
// one: the copy of such a process loads all its libraries once more, apart from those that it has.
void* load_reader() {
#ifndef A3SIM_SANITIZED  // sanitizers do not follow libraries that are loaded twice
  if (dlopen(kSimGridModule, RTLD_NOW | RTLD_NOLOAD) != nullptr)
    return dlmopen(LM_ID_NEWLM, kSimGridModule, RTLD_NOW | RTLD_LOCAL);
#endif
  return dlopen(kSimGridModule, RTLD_NOW | RTLD_LOCAL);
}

// Runs in the process that reads; never returns.
[[noreturn]] void read_in_child(const char* file, const char* hosts, int table, int errors,
                                PlatformProgress* progress) {
  dup2(errors, STDERR_FILENO);
  dup2(errors, STDOUT_FILENO);
#ifndef A3SIM_SANITIZED  // sanitizers map more memory than they use
  constexpr rlim_t kMostData = rlim_t{4} << 30;
  const rlimit data{kMostData, kMostData}, core{0, 0};
  setrlimit(RLIMIT_DATA, &data);
  setrlimit(RLIMIT_CORE, &core);
#endif
  void* const module = load_reader();
  void* const write = module != nullptr ? dlsym(module, kWritePlatform) : nullptr;
  if (write == nullptr) {
    dprintf(STDERR_FILENO, "SimGrid cannot be loaded: %s\n", dlerror());
    _exit(1);
  }
  reinterpret_cast<decltype(&a3sim_write_platform)>(write)(file, hosts, table, progress);
  _exit(0);
}

// Reads both pipes until both are closed, for a minute.
void collect(int table, int errors, Reading& reading) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kMostSeconds);
  std::array<pollfd, 2> pipes{{{table, POLLIN, 0}, {errors, POLLIN, 0}}};
  std::array<char, 1 << 16> buffer{};
  while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    reading.in_time = left.count() > 0;
    if (!reading.in_time) return;
    if (poll(pipes.data(), pipes.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) return;
    for (pollfd& pipe : pipes) {
      if (pipe.fd < 0 || pipe.revents == 0) continue;
      const ssize_t got = read(pipe.fd, buffer.data(), buffer.size());
      if (got <= 0) {
        pipe.fd = -1;
        continue;
      }
      std::string& text = pipe.fd == table ? reading.table : reading.errors;
      text.append(buffer.data(), static_cast<std::size_t>(got));
      reading.small = reading.table.size() + reading.errors.size() <= kMostOutput;
      if (!reading.small) return;
    }
  }
}

Reading read_in_process(const std::string& file, const std::string& hosts) {
  void* const shared =
      mmap(nullptr, sizeof(PlatformProgress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  std::array<int, 2> table{}, errors{};
  if (shared == MAP_FAILED || pipe(table.data()) != 0 || pipe(errors.data()) != 0)
    throw RunError(fmt::format("{}: no process can be started to read it", file));
  auto* const progress = new (shared) PlatformProgress;
  const pid_t child = fork();
  if (child == 0) read_in_child(file.c_str(), hosts.c_str(), table[1], errors[1], progress);
  close(table[1]);
  close(errors[1]);
  Reading reading;
  if (child > 0) {
    collect(table[0], errors[0], reading);
    kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(table[0]);
  close(errors[0]);
  reading.loaded = progress->loaded != 0;
  reading.from = progress->from;
  reading.to = progress->to;
  munmap(shared, sizeof(PlatformProgress));
  if (child < 0) throw RunError(fmt::format("{}: no process can be started to read it", file));
  return reading;
}

// Returns SimGrid's message on one line, without the place in its sources.
std::string words_of(const std::string& errors) {
  constexpr std::size_t kMostWords = 400;
  std::string line;
  std::istringstream lines(errors);
  for (std::string next; line.size() < kMostWords && std::getline(lines, next);) {
    if (next.find("Backtrace") != std::string::npos || next.find("** SimGrid: UNCAUGHT") == 0) break;
    if (const std::size_t level = next.find("CRITICAL] "); level != std::string::npos)
      next = next.substr(level + 10);
    if (const std::size_t level = next.find("ERROR] "); level != std::string::npos)
      next = next.substr(level + 7);
    if (!next.empty()) line += (line.empty() ? "" : "; ") + next;
  }
  return line.substr(0, kMostWords);
}

// Parses the lines that the module writes.
class TableReader {
 public:
  TableReader(const std::string& file, std::string_view xml, const PlatformHosts& hosts)
      : file_(file), xml_(xml), hosts_(hosts) {}

  PlatformTable read(const Reading& reading) {
    std::istringstream lines(reading.table);
    bool ended = false;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string what;
      words >> what;
      ended = ended || what == "end";
      if (what == "hosts") read_hosts(words);
      if (what == "link") read_link(words);
      if (what == "route") read_route(words);
    }
    if (!ended) fail(reading);
    return std::move(table_);
  }

 private:
  void read_hosts(std::istringstream& words) {
    words >> table_.hosts;
    if (table_.hosts == 0)
      throw InputError(fmt::format(
          "{}: no host is called '{}': 'host' says what the hosts of dies are called, with {{die}} for the "
          "number from 'first' on (0), or 'names' lists them",
          place_of_zone(), host(0)));
    if (!hosts_.numbered && table_.hosts < hosts_.names.size())
      throw InputError(fmt::format("{}: no host is called '{}'", place_of_zone(), host(table_.hosts)));
    table_.routes.resize(std::size_t{table_.hosts} * table_.hosts);
  }
  void read_link(std::istringstream& words) {
    constexpr int kShared = 1;
    std::string bandwidth;  // a stream reads no "inf"
    int policy = 0;
    PlatformLink link;
    words >> bandwidth >> policy;
    const double rate = std::strtod(bandwidth.c_str(), nullptr);
    std::getline(words >> std::ws, link.name);
    constexpr double kMostRate = 1e18;
    if (!(rate >= 1 && rate < kMostRate))
      throw InputError(fmt::format("{}: link '{}' has {} bytes per second, expected 1 to {}",
                                   place(link.name), link.name, rate, kMostRate));
    link.rate = {std::llround(rate)};
    each_flow_.push_back(policy != kShared);
    table_.links.push_back(std::move(link));
  }
  void read_route(std::istringstream& words) {
    if (++to_ == from_) ++to_;
    if (to_ == table_.hosts) {
      ++from_;
      to_ = 0;
    }
    std::vector<std::uint32_t>& route = table_.routes.at(std::size_t{from_} * table_.hosts + to_);
    for (std::uint32_t link = 0; words >> link;) {
      if (std::ranges::find(route, link) != route.end())
        throw InputError(fmt::format(
            "{}: the route from {} to {} goes over link '{}' twice: take the loop out of it",
            place(table_.links.at(link).name), host(from_), host(to_), table_.links.at(link).name));
      route.push_back(link);
    }
    const bool connected = !route.empty();
    leave_out_caps(route);
    if (!connected)
      throw InputError(fmt::format("{}: there is no route from {} to {}: add one", place(host(to_)),
                                   host(from_), host(to_)));
  }
  // A link that is not shared (FATPIPE) caps each flow alone, and is no cable. It changes nothing on a route that has a shared
  // link of no larger rate.
  void leave_out_caps(std::vector<std::uint32_t>& route) const {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (const std::uint32_t link : route)
      if (!each_flow_[link]) slowest = std::min(slowest, table_.links[link].rate.count);
    for (const std::uint32_t link : route) {
      const PlatformLink& cap = table_.links[link];
      if (each_flow_[link] && cap.rate.count < slowest)
        throw InputError(
            fmt::format("{}: link '{}' is not SHARED or SPLITDUPLEX, and is the slowest from {} to {}: what "
                        "caps one flow "
                        "alone is no cable; leave it out of the routes",
                        place(cap.name), cap.name, host(from_), host(to_)));
    }
    std::erase_if(route, [this](std::uint32_t link) { return each_flow_[link]; });
  }
  [[noreturn]] void fail(const Reading& reading) const {
    std::string why = words_of(reading.errors);
    if (!reading.in_time)
      why = fmt::format("reading it takes more than {} s: a smaller platform", kMostSeconds);
    if (!reading.small) why = "its routes are too long to be kept: a smaller platform";
    constexpr std::string_view kCrash = "Segmentation fault";
    if (reading.loaded && why.starts_with(kCrash))
      why = "SimGrid fell over: is there a route between them, and does each zone have a gateway?";
    if (why.empty()) why = "SimGrid gave up, as it needs more than 4 GB or for reasons that it does not tell";
    const std::string where =
        reading.loaded ? fmt::format(", on the way from {} to {}", host(reading.from), host(reading.to)) : "";
    const auto [place, words] = place_of(why);
    throw InputError(fmt::format("{}: SimGrid cannot read it{}: {}", place, where, words));
  }
  // Returns the place that SimGrid's message speaks of, and the rest of the message: "Parse error at FILE:LINE: ...", or the
  // name of an element, in quotes or at its end.
  std::pair<std::string, std::string> place_of(const std::string& why) const {
    const std::string begin = fmt::format("Parse error at {}:", file_);
    if (why.starts_with(begin)) {
      const std::size_t end = why.find(": ", begin.size());
      if (end != std::string::npos)
        return {fmt::format("{}:{}", file_, why.substr(begin.size(), end - begin.size())),
                why.substr(end + 2)};
    }
    const std::size_t open = why.find('\''), close = why.find('\'', open + 1), last = why.rfind(' ');
    std::string name;
    if (close != std::string::npos) {
      name = why.substr(open + 1, close - open - 1);
    } else if (last != std::string::npos) {
      name = why.substr(last + 1);
    }
    std::size_t line = name.empty() ? 0 : line_of_value(xml_, name);
    if (line == 0) line = line_of_only_zone(xml_);
    return {line == 0 ? file_ : fmt::format("{}:{}", file_, line), why};
  }
  std::string place_of_zone() const {
    const std::size_t line = line_of_only_zone(xml_);
    return line == 0 ? file_ : fmt::format("{}:{}", file_, line);
  }
  std::string host(std::uint32_t number) const {
    return number < hosts_.names.size() ? hosts_.names[number] : fmt::format("host {}", number);
  }
  // Returns the file and the line of an element. SPLITDUPLEX links have a name for each direction.
  std::string place(std::string id) const {
    std::size_t line = line_of_id(xml_, id);
    for (const char* const way : {"_UP", "_DOWN"})
      if (line == 0 && id.ends_with(way)) line = line_of_id(xml_, id.substr(0, id.rfind('_')));
    return line == 0 ? file_ : fmt::format("{}:{}", file_, line);
  }

  const std::string& file_;
  std::string_view xml_;
  const PlatformHosts& hosts_;
  PlatformTable table_;
  std::vector<bool> each_flow_;  // by link: it caps each flow alone
  std::uint32_t from_ = 0, to_ = 0;
};

}  // namespace

PlatformHosts numbered_hosts(const std::string& pattern, std::uint32_t first) {
  constexpr std::string_view kDie = "{die}";
  const std::size_t die = pattern.find(kDie);
  if (die == std::string::npos)
    throw InputError(fmt::format("'{}' does not have {{die}}, which stands for a die's number", pattern));
  PlatformHosts hosts;
  hosts.numbered = true;
  for (std::uint32_t n = 0; n < kMostPlatformHosts; ++n)
    hosts.names.push_back(fmt::format("{}{}{}", pattern.substr(0, die), std::uint64_t{first} + n,
                                      pattern.substr(die + kDie.size())));
  return hosts;
}

PlatformTable read_platform(const std::filesystem::path& file, const PlatformHosts& hosts) {
  constexpr std::uintmax_t kMostText = std::uintmax_t{1} << 26;
  const std::string name = file.string();
  std::error_code error;
  if (std::filesystem::file_size(file, error) > kMostText && !error)
    throw InputError(fmt::format("{}: larger than {} MB", name, kMostText >> 20));
  const std::string xml = read_file(name);
  check_platform_text(xml, name);
  std::string names;
  for (const std::string& host : hosts.names) names += host + '\n';
  return TableReader(name, xml, hosts).read(read_in_process(name, names));
}

}  // namespace a3sim
