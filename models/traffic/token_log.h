#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/text_source.h"

namespace a3sim {

// The experts of one token in one layer, as a log has them.
struct TokenRow {
  std::uint32_t layer = 0;
  std::uint64_t request = 0;             // a hash of the request's name; 0: the log names none
  std::optional<std::int64_t> token{};   // its place in the request, or in a forward pass
  std::vector<std::uint32_t> experts{};  // all different; empty: the row is padding (all negative, or without weight)
  std::uint64_t weights = 0;             // a hash of the router's weights; 0: the log has none
};

// Rows by expert that a program has counted itself, in one window of time.
struct CountRow {
  std::uint64_t step = 0;
  std::uint32_t layer = 0;
  std::optional<std::uint32_t> source{};  // the rank that sent them; nullopt: all ranks together
  std::vector<std::uint64_t> rows{};      // by expert
};

// What a log says of itself, and what of it is no record.
struct LogMeta {
  std::string model;
  std::uint32_t top_k = 0, experts = 0, layers = 0;  // of the model; 0: not stated
  std::vector<std::uint32_t> layers_logged;          // as stated
  std::uint64_t other_lines = 0;                     // of other types
  bool cut_off = false;                              // the last line ends in the middle
};

// Takes what a log holds, in its order.
struct LogSink {
  std::function<void(const TokenRow&)> token;
  std::function<void(const CountRow&)> counts;
};

// Returns whether a file, perhaps packed (.gz), looks like a log that read_log() reads: JSON, or a table whose first line
// names columns of one.
bool is_traffic_log(const std::filesystem::path& file);

// Reads a log of token routing or of counts by expert, in pieces: JSON lines, one JSON value, or a table of comma-separated
// values. The README has the forms. Throws InputError with file and line for what is none.
LogMeta read_log(const std::filesystem::path& file, const LogSink& sink);

// Reads the lines of a file, perhaps packed, without their ends.
class LogLines {
 public:
  explicit LogLines(const std::filesystem::path& file);
  // Reads the next line. Returns false at the end. Valid until the next call. Throws InputError for a line that no log has.
  bool next(std::string_view& line);
  // Returns whether the last line that was read had an end.
  bool ended() const { return ended_; }
  std::size_t number() const { return number_; }
  // Throws InputError about the line.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  TextSource source_;
  std::string kept_;  // of a line that began in an earlier piece
  std::string_view rest_;
  std::size_t number_ = 0;
  bool ended_ = true;
};

}  // namespace a3sim
