#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace a3sim {

// The experts of one token in one layer, as a log has them.
struct TokenRow {
  std::uint32_t layer = 0;
  std::uint64_t request = 0;            // a hash of the request's name; 0: the log names none
  std::optional<std::int64_t> token{};  // its place in the request, or in a forward pass
  std::vector<std::uint32_t>
      experts{};              // all different; empty: the row is padding (all negative, or without weight)
  std::uint64_t weights = 0;  // a hash of the router's weights; 0: the log has none
};

// Rows by expert that a program has counted itself, in one window of time.
struct CountRow {
  std::uint64_t step = 0;
  std::uint32_t layer = 0;
  std::optional<std::uint32_t> source{};  // the rank that sent them; nullopt: all ranks together
  std::vector<std::uint64_t> rows{};      // by expert
};

// The description that a log gives of itself, and the lines that are no records.
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

}  // namespace a3sim
