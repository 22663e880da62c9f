#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "models/traffic/log_row.h"

namespace a3sim {

// Reads a line that is a flat object with a token's experts, the form of most lines of a log, without a parser of JSON:
// {"type": "route", "req_id": "r1", "token_idx": 0, "layer": 0, "topk_ids": [43, 5], "topk_weights": [0.1, 0.05]}.
// Returns false for everything else, which is left to read_record(); both give the same row.
bool scan_token_row(std::string_view line, TokenRow& row);

// Reads a value of a log: rows and counts go to the sink, what it says of the log to `meta`. `step` is that of counts
// which name none. Throws std::invalid_argument with what is wrong.
void read_record(const nlohmann::json& value, std::uint64_t step, const LogSink& sink, LogMeta& meta);

// The names under which logs have the same thing.
enum class LogField : std::uint8_t {
  kNone,
  kType,
  kLayer,
  kRequest,
  kToken,
  kExperts,
  kWeights,
  kStep,
  kSource,
  kCounts
};
LogField log_field(std::string_view name);

// Hashes, which are the same on every machine.
std::uint64_t hash_of_text(std::string_view text);
std::uint64_t hash_with(std::uint64_t hash, std::uint64_t value);
// Adds the weight of an expert to the hash of a row's weights.
std::uint64_t hash_with_weight(std::uint64_t hash, double weight);

inline constexpr std::int64_t kMostLoggedExperts = 65534;
// Checks a row, and makes it padding if no expert is left or all weights are zero: negative numbers are slots without an
// expert. Throws std::invalid_argument for an expert that is there twice.
void finish_row(TokenRow& row, bool weighted, bool any_weight);

}  // namespace a3sim
