#include "sim/network/platform_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostLinkTags = 200'000;

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

}  // namespace

void check_platform_text(std::string_view xml, const std::string& name) {
  std::int64_t links = 0;
  bool platform = false;
  for (TagWalk walk(xml, name); walk.next();) {
    platform = platform || walk.is("platform");
    refuse_what_is_not_plain(walk);
    if (!walk.is("link") && !walk.is("cluster") && !walk.is("backbone")) continue;
    if (++links > kMostLinkTags) walk.fail(fmt::format("more than {} links", kMostLinkTags));
    const std::string bandwidth(walk.attribute(walk.is("cluster") ? "bw" : "bandwidth"));
    if (!bandwidth.empty() && !(std::strtod(bandwidth.c_str(), nullptr) > 0))
      walk.fail(
          fmt::format("a bandwidth of '{}': expected more than zero, as in 25GBps; a broken cable is said in "
                      "network.damage",
                      bandwidth));
  }
  if (!platform) throw InputError(fmt::format("{}:1: no SimGrid platform: it has no <platform>", name));
}

std::size_t line_of_id(std::string_view xml, std::string_view id) {
  const std::string name;
  for (TagWalk walk(xml, name); walk.next();)
    if (walk.attribute("id") == id) return walk.line();
  return 0;
}

}  // namespace a3sim
