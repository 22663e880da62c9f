#include "traces/import/trace_events.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/import/json_walk.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostBeside = 64;  // values beside the events that are kept

// Reads a list of events, or an object that has one as traceEvents.
class Events final : public JsonWalk {
 public:
  Events(std::span<const std::string_view> wanted, const std::function<void(const TraceEvent&)>& take)
      : wanted_(wanted), take_(take) {}
  TraceRest rest;

 private:
  void on_number(double value, const std::string& text) override {
    const std::string_view key = last_key();
    if (in_event()) {
      if (key == "ts") event_.timestamp = text;
      if (key == "dur") event_.length = value;
      if (key == "pid") event_.process = value;
      if (key == "tid") event_.thread = text;
    } else if (in_arguments()) {
      if (is_wanted()) event_.numbers.insert_or_assign(std::string(key), value);
    } else if (!listed_ && depth() == 2 && rest.numbers.size() < kMostBeside) {
      rest.numbers.insert_or_assign(fmt::format("{}.{}", key_at(1), key), value);
    }
  }
  void on_text(const std::string& value) override {
    const std::string_view key = last_key();
    if (in_event()) {
      if (key == "ph") event_.phase = value;
      if (key == "name") event_.name = value;
      if (key == "cat") event_.category = value;
      if (key == "ts") event_.timestamp = value;
      if (key == "tid") event_.thread = value;
    } else if (in_arguments()) {
      if (is_wanted()) event_.texts.insert_or_assign(std::string(key), value);
    } else if (!listed_ && depth() == 3 && rest.texts.size() < kMostBeside) {
      ++rest.texts[fmt::format("{}.{}", key_at(1), key_at(2))];
    }
  }
  void object_begins() override {
    if (in_event()) event_ = {};
  }
  void object_ends() override {
    if (in_event()) take_(event_);
  }
  void list_begins() override {
    if (depth() == 1) listed_ = true;
  }

  // Returns the depth of an event: two in a list, three in an object that has the list.
  std::size_t depth_of_event() const { return listed_ ? 2 : 3; }
  bool in_list() const { return listed_ || key_at(1) == "traceEvents"; }
  bool in_event() const { return in_list() && depth() == depth_of_event(); }
  bool in_arguments() const { return in_list() && depth() == depth_of_event() + 1; }
  bool is_wanted() const { return std::ranges::find(wanted_, last_key()) != wanted_.end(); }

  std::span<const std::string_view> wanted_;
  const std::function<void(const TraceEvent&)>& take_;
  TraceEvent event_;
  bool listed_ = false;
};

}  // namespace

std::optional<double> TraceEvent::number(std::string_view key) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

TraceRest each_trace_event(const std::filesystem::path& file, std::span<const std::string_view> wanted,
                           const std::function<void(const TraceEvent&)>& take) {
  Events events(wanted, take);
  events.read(file);
  return std::move(events.rest);
}

}  // namespace a3sim
