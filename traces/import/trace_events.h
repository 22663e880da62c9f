#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace a3sim {

// An event of a time line in Chrome's JSON.
struct TraceEvent {
  std::string phase, name, category;
  std::string timestamp;                                  // microseconds, as text; empty: none
  std::optional<double> length;                           // microseconds
  std::optional<double> process;                          // process number
  std::string thread;                                     // its number or name
  std::map<std::string, double, std::less<>> numbers;     // wanted arguments that are numbers
  std::map<std::string, std::string, std::less<>> texts;  // wanted arguments that are text

  std::optional<double> number(std::string_view key) const;
};

// The values beside the list of events, in objects of the file's own object: {"object": {"key": number,
// "key": [text]}}.
struct TraceRest {
  std::map<std::string, double, std::less<>> numbers;     // by "object.key"
  std::map<std::string, std::size_t, std::less<>> texts;  // number of texts, by "object.key"
};

// Calls `take` for each event of a time line of any size. Throws InputError with the file's name and the
// byte.
TraceRest each_trace_event(const std::filesystem::path& file, std::span<const std::string_view> wanted,
                           const std::function<void(const TraceEvent&)>& take);

}  // namespace a3sim
