#include "models/traffic/token_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/traffic/array_log.h"
#include "models/traffic/json_record.h"
#include "models/traffic/log_lines.h"
#include "models/traffic/table_log.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/core/text_source.h"

namespace a3sim {
namespace {

using nlohmann::json;

constexpr std::size_t kMostOfArrays = std::size_t{2} << 30;    // so is one of arrays
constexpr std::size_t kMostOfOneValue = std::size_t{1} << 28;  // a file that is one value is held in memory

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

json parsed(std::string_view text) { return json::parse(text.begin(), text.end(), nullptr, false); }

// Reads the whole rest of a file that is one value of JSON.
void read_one_value(LogLines& lines, std::string text, const LogSink& sink, LogMeta& meta) {
  std::string_view line;
  while (lines.next(line)) {
    text += line;
    text += '\n';
    if (text.size() > kMostOfOneValue)
      lines.fail(
          fmt::format("one JSON value of more than {} MiB: write a record a line", kMostOfOneValue >> 20U));
  }
  try {
    read_record(json::parse(text), 0, sink, meta);
  } catch (const json::parse_error& error) {
    lines.fail(fmt::format("no JSON, neither the file nor its first line (byte {})", error.byte));
  } catch (const std::invalid_argument& error) {
    lines.fail(error.what());
  }
}

void read_json_lines(LogLines& lines, std::string_view line, const LogSink& sink, LogMeta& meta) {
  TokenRow row;
  std::uint64_t step = 0;
  bool any = false;
  do {
    if (is_blank(line)) continue;
    try {
      if (scan_token_row(line, row)) {
        sink.token(row);
        any = true;
        continue;
      }
      const json value = parsed(line);
      if (value.is_discarded() && !any) return read_one_value(lines, std::string(line) + '\n', sink, meta);
      if (value.is_discarded() && !lines.ended()) {
        meta.cut_off = true;
        return;
      }
      if (value.is_discarded())
        lines.fail("no JSON; a record a line was expected, like {\"layer\": 0, \"topk_ids\": [3, 5]}");
      any = true;
      read_record(value, step,
                  {sink.token,
                   [&](const CountRow& counts) {
                     sink.counts(counts);
                     step = std::max(step, counts.step + 1);
                   }},
                  meta);
    } catch (const std::invalid_argument& error) {
      lines.fail(error.what());
    }
  } while (lines.next(line));
}

bool has_arrays(const std::filesystem::path& file) {
  TextSource source(file, kAnyRatio);
  return begins_arrays(source.piece());
}

}  // namespace

bool is_traffic_log(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  TextSource source(file, kAnyRatio);
  std::string_view begin = source.piece();
  if (begins_arrays(begin)) return true;
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  const std::string_view first = begin.substr(0, begin.find('\n'));
  if (begin.starts_with('[')) {
    const std::size_t value = begin.find_first_not_of("[ \t\r\n");
    if (value != std::string_view::npos && begin[value] >= '0' && begin[value] <= '9') return true;
  } else if (!begin.starts_with('{')) {
    return names_log_columns(first);
  }
  for (const std::string_view name :
       {"\"topk_ids\"", "\"topk_indices\"", "\"expert_ids\"", "\"routed_experts\"", "\"layers_logged\"",
        "\"logical_count\"", "\"expert_counts\"", "\"tokens_per_expert\"", "\"expert_load\""})
    if (begin.find(name) != std::string_view::npos) return true;
  return false;
}

LogMeta read_log(const std::filesystem::path& file, const LogSink& sink) {
  LogMeta meta;
  if (has_arrays(file)) {
    try {
      read_array_log(read_file(file, kMostOfArrays), sink);
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: {}", file.string(), error.what()));
    }
    return meta;
  }
  LogLines lines(file);
  std::string_view line;
  do {
    if (!lines.next(line)) throw InputError(fmt::format("{}: is empty", file.string()));
  } while (is_blank(line));
  const char first = line[line.find_first_not_of(" \t\r")];
  if (first == '{')
    read_json_lines(lines, line, sink, meta);
  else if (first == '[')
    read_one_value(lines, std::string(line) + '\n', sink, meta);
  else
    read_table_log(lines, line, sink, meta);
  return meta;
}

}  // namespace a3sim
