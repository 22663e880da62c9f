#include "sim/network/platform_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostLinkTags = 200'000;
// Hosts of a cluster, and links of one of its levels.
constexpr double kMostOfCluster = 1 << 20;

// Iterates over the tags of XML text, skipping comments. Does not interpret tags.
class TagWalk {
 public:
  TagWalk(std::string_view xml, const std::string& name) : xml_(xml), name_(name) {}

  bool next() {
    while (true) {
      const std::size_t open = xml_.find('<', at_);
      if (open == std::string_view::npos) return false;
      go_to(open);
      const bool comment = xml_.substr(at_).starts_with("<!--");
      const std::size_t close = comment ? xml_.find("-->", at_) : end_of_tag();
      if (close == std::string_view::npos) fail("a tag or comment does not end: was the file cut off?");
      tag_ = xml_.substr(at_, close - at_);
      line_of_tag_ = line_;
      go_to(close + 1);
      if (!comment) return true;
    }
  }
  std::string_view tag() const { return tag_; }  // "<link id="a" bandwidth="1GBps"", without its end
  bool is(std::string_view element) const {
    return tag_.substr(1).starts_with(element) &&
           (tag_.size() == element.size() + 1 ||
            std::string_view(" \t\r\n/").find(tag_[element.size() + 1]) != std::string_view::npos);
  }
  // Returns the value of an attribute; empty if there is none.
  std::string_view attribute(std::string_view key) const {
    for (const char* const quote : {"=\"", "='"}) {
      const std::string begin = fmt::format("{}{}", key, quote);
      for (std::size_t at = tag_.find(begin); at != std::string_view::npos; at = tag_.find(begin, at + 1)) {
        if (std::string_view(" \t\r\n").find(tag_[at - 1]) == std::string_view::npos) continue;
        const std::string_view value = tag_.substr(at + begin.size());
        return value.substr(0, value.find(quote[1]));
      }
    }
    return {};
  }
  std::size_t line() const { return line_of_tag_; }
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(fmt::format("{}:{}: {}", name_, std::max(line_of_tag_, std::size_t{1}), why));
  }

 private:
  void go_to(std::size_t place) {
    line_ += static_cast<std::size_t>(std::ranges::count(xml_.substr(at_, place - at_), '\n'));
    at_ = place;
  }
  std::size_t end_of_tag() const {
    char quote = 0;
    for (std::size_t at = at_; at < xml_.size(); ++at) {
      if (quote != 0) {
        if (xml_[at] == quote) quote = 0;
      } else if (xml_[at] == '"' || xml_[at] == '\'') {
        quote = xml_[at];
      } else if (xml_[at] == '>') {
        return at;
      }
    }
    return std::string_view::npos;
  }

  std::string_view xml_;
  const std::string& name_;
  std::size_t at_ = 0, line_ = 1, line_of_tag_ = 1;
  std::string_view tag_;
};

void refuse_what_is_not_plain(const TagWalk& walk) {
  if (walk.is("!ENTITY") || (walk.is("!DOCTYPE") && walk.tag().find('[') != std::string_view::npos))
    walk.fail("entities and definitions of a document's own: leave them out, a platform needs none");
  for (const char* const element : {"config", "include", "trace", "trace_connect", "process", "actor"}) {
    if (walk.is(element))
      walk.fail(
          fmt::format("<{}> says how a run goes, and is not taken from a platform: leave it out", element));
  }
  for (const char* const part : {"_file", "_profile"}) {
    const std::size_t at = walk.tag().find(fmt::format("{}=", part));
    if (at != std::string_view::npos)
      walk.fail(
          "profiles over time are not read: leave the attribute out, and say what changes in network.damage");
  }
}

// Refuses a second element of a kind with one name, and a second route between two hosts.
void refuse_repetition(const TagWalk& walk,
                       std::map<std::pair<std::string, std::string>, std::size_t>& known) {
  for (const char* const element : {"host", "link", "router", "zone", "cluster"}) {
    if (!walk.is(element) || walk.attribute("id").empty()) continue;
    const auto [first, is_new] = known.try_emplace({element, std::string(walk.attribute("id"))}, walk.line());
    if (!is_new)
      walk.fail(fmt::format("there is a {} '{}' in line {} already: give it another id", element,
                            walk.attribute("id").substr(0, 80), first->second));
  }
  if (!walk.is("route")) return;
  const std::string_view src = walk.attribute("src"), dst = walk.attribute("dst");
  const auto [first, is_new] =
      known.try_emplace({fmt::format("route {}", src), std::string(dst)}, walk.line());
  if (!is_new)
    walk.fail(fmt::format("there is a route from {} to {} in line {} already: leave one out",
                          src.substr(0, 80), dst.substr(0, 80), first->second));
}

// Returns the product of the numbers of a list; other characters part them.
double product_of(std::string_view list) {
  double product = 1;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    product *= std::max(1.0, std::strtod(std::string(list.substr(at, end - at)).c_str(), nullptr));
    at = end + 1;
  }
  return product;
}

// Returns the number of hosts that a radical as "0-3,7" names; what is no number counts as one.
double hosts_of_radical(std::string_view radical) {
  double hosts = 0;
  for (std::size_t at = 0; at < radical.size();) {
    const std::size_t end = std::min(radical.find(',', at), radical.size());
    const std::string part(radical.substr(at, end - at));
    const std::size_t dash = part.find('-');
    hosts += dash == std::string::npos ? 1
                                       : std::max(1.0, std::strtod(part.c_str() + dash + 1, nullptr) -
                                                           std::strtod(part.c_str(), nullptr) + 1);
    at = end + 1;
  }
  return hosts;
}

// SimGrid makes all hosts and links of a cluster before anything can be said of them.
void refuse_huge_cluster(const TagWalk& walk) {
  if (!walk.is("cluster") && !walk.is("cabinet")) return;
  const std::string_view parameters = walk.attribute("topo_parameters");
  double most = hosts_of_radical(walk.attribute("radical")), groups = 1;
  for (std::size_t at = 0; at < parameters.size();) {
    const std::size_t end = std::min(parameters.find(';', at), parameters.size());
    const std::string_view section = parameters.substr(at, end - at);
    most = std::max(most, product_of(section));
    groups *= product_of(section.substr(0, section.find(',')));
    at = end + 1;
  }
  if (walk.attribute("topology") == "DRAGONFLY") most = std::max(most, groups);
  if (most > kMostOfCluster)
    walk.fail(
        fmt::format("a cluster of {:.0f} hosts or switches, expected at most {:.0f}", most, kMostOfCluster));
}

// Refuses a rate or time that is no number of its kind; SimGrid reads its unit.
void refuse_bad_numbers(const TagWalk& walk) {
  const bool cluster = walk.is("cluster") || walk.is("cabinet");
  const std::string bandwidth(walk.attribute(cluster ? "bw" : "bandwidth"));
  const double rate = std::strtod(bandwidth.c_str(), nullptr);
  if (!bandwidth.empty() && !(rate > 0 && std::isfinite(rate)))
    walk.fail(
        fmt::format("a bandwidth of '{}': expected more than zero, as in 25GBps; a broken cable is said in "
                    "network.damage",
                    bandwidth));
  const std::string latency(walk.attribute(cluster ? "lat" : "latency"));
  const double time = std::strtod(latency.c_str(), nullptr);
  if (!latency.empty() && !(time >= 0 && std::isfinite(time)))
    walk.fail(fmt::format("a latency of '{}': expected zero or more, as in 1us", latency));
}

}  // namespace

void check_platform_text(std::string_view xml, const std::string& name) {
  std::int64_t links = 0;
  bool platform = false, typed = false;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  if (const std::size_t at = xml.find('\0'); at != std::string_view::npos && xml.find("<platform") < at)
    throw InputError(fmt::format("{}:{}: a zero byte, which is no text: was the file damaged?", name,
                                 1 + std::ranges::count(xml.substr(0, at), '\n')));
  for (TagWalk walk(xml, name); walk.next();) {
    typed = typed || walk.is("!DOCTYPE");
    if (walk.is("platform") && !typed)
      walk.fail(
          "no document type before <platform>: expected <!DOCTYPE platform SYSTEM "
          "\"https://simgrid.org/simgrid.dtd\">");
    platform = platform || walk.is("platform");
    refuse_what_is_not_plain(walk);
    refuse_repetition(walk, known);
    refuse_huge_cluster(walk);
    if (!walk.is("link") && !walk.is("cluster") && !walk.is("cabinet") && !walk.is("backbone")) continue;
    if (++links > kMostLinkTags) walk.fail(fmt::format("more than {} links", kMostLinkTags));
    refuse_bad_numbers(walk);
  }
  if (!platform) throw InputError(fmt::format("{}:1: no SimGrid platform: it has no <platform>", name));
}

std::size_t line_of_only_zone(std::string_view xml) {
  const std::string name;
  std::size_t line = 0, zones = 0;
  for (TagWalk walk(xml, name); walk.next();) {
    if (!walk.is("zone") && !walk.is("cluster")) continue;
    ++zones;
    line = walk.line();
  }
  return zones == 1 ? line : 0;
}

std::size_t line_of_value(std::string_view xml, std::string_view value) {
  const std::string name;
  std::size_t line = 0;
  for (TagWalk walk(xml, name); walk.next();)
    for (const char* const key : {"id", "src", "dst", "routing", "topo_parameters"})
      if (walk.attribute(key) == value) line = walk.line();
  return line;
}

std::size_t line_of_id(std::string_view xml, std::string_view id) {
  const std::string name;
  for (TagWalk walk(xml, name); walk.next();)
    if (walk.attribute("id") == id) return walk.line();
  return 0;
}

}  // namespace a3sim
