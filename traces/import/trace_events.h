#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace a3sim {

// An event of trace_view.json.
struct TraceEvent {
  std::string phase, name, category;
  std::string date;                          // microseconds, as they stand there; empty: none
  double length = 0;                         // microseconds
  std::map<std::string, double> numbers;     // of its arguments
  std::map<std::string, std::string> texts;  // likewise

  std::optional<double> number(const char* key) const;
};

// Each event of a profiler's time line, which may be of any size. Throws InputError that names the file and byte.
void each_trace_event(const std::filesystem::path& file, const std::function<void(const TraceEvent&)>& take);

}  // namespace a3sim
