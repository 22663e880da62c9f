#include "traces/import/trace_events.h"

#include <fmt/format.h>

#include <istream>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "traces/import/text_source.h"

namespace a3sim {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostArguments = 64;  // that are kept of an event

// A list of events, or an object that has one as traceEvents.
class Events final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Events(std::string file, const std::function<void(const TraceEvent&)>& take)
      : file_(std::move(file)), take_(take) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override { return number(value, text); }
  bool string(string_t& value) override {
    if (in_event()) {
      if (key_ == "ph") event_.phase = value;
      if (key_ == "name") event_.name = value;
      if (key_ == "cat") event_.category = value;
      if (key_ == "ts") event_.date = value;
    } else if (in_arguments() && event_.texts.size() < kMostArguments) {
      event_.texts[key_] = value;
    }
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& value) override {
    key_ = value;
    if (depth_ == 1 && !listed_) in_list_ = value == "traceEvents";
    return true;
  }
  bool start_object(std::size_t) override {
    deeper();
    if (in_event()) event_ = {};
    return true;
  }
  bool end_object() override {
    if (in_event()) take_(event_);
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) listed_ = in_list_ = true;
    deeper();
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw InputError(fmt::format("{}: byte {}: {}", file_, position, error.what()));
  }

 private:
  // An event is two deep in a list, three in an object that has the list.
  std::size_t depth_of_event() const { return listed_ ? 2 : 3; }
  bool in_event() const { return in_list_ && depth_ == depth_of_event(); }
  bool in_arguments() const { return in_list_ && depth_ == depth_of_event() + 1; }

  void deeper() {
    if (++depth_ > kDeepest) throw InputError(fmt::format("{}: deeper than {} levels", file_, kDeepest));
  }
  bool number(double value, const std::string& text) {
    if (in_event() && key_ == "ts") event_.date = text;
    if (in_event() && key_ == "dur") event_.length = value;
    if (in_arguments() && event_.numbers.size() < kMostArguments) event_.numbers[key_] = value;
    return true;
  }

  std::string file_;
  const std::function<void(const TraceEvent&)>& take_;
  TraceEvent event_;
  std::string key_;
  std::size_t depth_ = 0;
  bool listed_ = false, in_list_ = false;
};

}  // namespace

std::optional<double> TraceEvent::number(const char* key) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

void each_trace_event(const std::filesystem::path& file, const std::function<void(const TraceEvent&)>& take) {
  JsonBytes bytes(file);
  std::istream stream(&bytes);
  stream.exceptions(std::ios::badbit);  // what reading throws is thrown on
  Events events(file.string(), take);
  nlohmann::json::sax_parse(stream, &events);
}

}  // namespace a3sim
