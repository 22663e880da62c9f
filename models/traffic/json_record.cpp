#include "models/traffic/json_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace a3sim {
namespace {

using nlohmann::json;

// Walks through one flat object.
class FlatScanner {
 public:
  explicit FlatScanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool take(char c) {
    skip();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool at_end() {
    skip();
    return at_ == end_;
  }
  // Reads a text without escapes.
  bool text(std::string_view& value) {
    if (!take('"')) return false;
    const char* const begin = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
    if (at_ == end_ || *at_ != '"') return false;
    value = {begin, static_cast<std::size_t>(at_ - begin)};
    ++at_;
    return true;
  }
  // Reads a whole number as JSON writes it.
  bool integer(std::int64_t& value) {
    skip();
    const char* const digits = at_ != end_ && *at_ == '-' ? at_ + 1 : at_;
    if (digits == end_ || *digits < '0' || *digits > '9') return false;
    if (*digits == '0' && digits + 1 != end_ && digits[1] >= '0' && digits[1] <= '9') return false;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || (stop != end_ && (*stop == '.' || *stop == 'e' || *stop == 'E')))
      return false;
    at_ = stop;
    return true;
  }
  bool number(double& value) {
    skip();
    const char* const digits = at_ != end_ && *at_ == '-' ? at_ + 1 : at_;
    if (digits == end_ || *digits < '0' || *digits > '9') return false;
    if (*digits == '0' && digits + 1 != end_ && digits[1] >= '0' && digits[1] <= '9') return false;
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc()) return false;
    // A digit stands behind the point, as JSON has it.
    const char* const point = std::find(at_, stop, '.');
    if (point != stop && (point + 1 == stop || point[1] < '0' || point[1] > '9')) return false;
    at_ = stop;
    return true;
  }
  // Reads a list of numbers with `read()`.
  template <class Read>
  bool list(const Read& read) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!read()) return false;
    } while (take(','));
    return take(']');
  }
  bool begins_text() {
    skip();
    return at_ != end_ && *at_ == '"';
  }

 private:
  void skip() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  const char *at_, *end_;
};

bool scan_experts(FlatScanner& scanner, TokenRow& row) {
  return scanner.list([&] {
    std::int64_t expert = 0;
    if (!scanner.integer(expert) || expert > kMostLoggedExperts) return false;
    if (expert >= 0) row.experts.push_back(static_cast<std::uint32_t>(expert));
    return true;
  });
}

// Facts that a scan has met in addition to the row itself.
struct Scanned {
  bool experts = false, weighted = false, any_weight = false;
};

bool scan_value(FlatScanner& scanner, LogField field, TokenRow& row, Scanned& seen) {
  std::int64_t number = 0;
  std::string_view text;
  switch (field) {
    case LogField::kType:
      return scanner.text(text) && text == "route";
    case LogField::kLayer:
      if (!scanner.integer(number) || number < 0 || number > kMostLoggedExperts) return false;
      row.layer = static_cast<std::uint32_t>(number);
      return true;
    case LogField::kRequest:
      if (!scanner.text(text)) return false;
      row.request = hash_of_text(text);
      return true;
    case LogField::kToken:
      if (!scanner.integer(number)) return false;
      row.token = number;
      return true;
    case LogField::kExperts:
      seen.experts = true;
      return scan_experts(scanner, row);
    case LogField::kWeights:
      seen.weighted = true;
      return scanner.list([&] {
        double weight = 0;
        if (!scanner.number(weight)) return false;
        row.weights = hash_with_weight(row.weights, weight);
        seen.any_weight |= weight != 0;
        return true;
      });
    default:
      return false;
  }
}

// Returns the whole numbers of a list.
std::vector<std::int64_t> integers_of(const json& list, std::string_view what) {
  std::vector<std::int64_t> numbers;
  for (const json& item : list) {
    if (!item.is_number_integer())
      throw std::invalid_argument(fmt::format("{}: a whole number was expected", what));
    numbers.push_back(item.get<std::int64_t>());
  }
  return numbers;
}

std::uint32_t small_number(const json& value, std::string_view what) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0 ||
      value.get<std::int64_t>() > kMostLoggedExperts)
    throw std::invalid_argument(
        fmt::format("{}: a number from 0 to {} was expected", what, kMostLoggedExperts));
  return value.get<std::uint32_t>();
}

std::uint64_t request_of(const json& value) {
  return hash_of_text(value.is_string() ? value.get<std::string>() : value.dump());
}

void fill_row(TokenRow& row, const json& experts, const json* weights) {
  row.experts.clear();
  row.weights = 0;
  bool any = false;
  for (const std::int64_t expert : integers_of(experts, "experts of a token")) {
    if (expert > kMostLoggedExperts)
      throw std::invalid_argument(fmt::format("expert {}: larger than any", expert));
    if (expert >= 0) row.experts.push_back(static_cast<std::uint32_t>(expert));
  }
  if (weights) {
    for (const json& weight : *weights) {
      if (!weight.is_number()) throw std::invalid_argument("weights of a token: a number was expected");
      row.weights = hash_with_weight(row.weights, weight.get<double>());
      any |= weight.get<double>() != 0;
    }
  }
  finish_row(row, weights != nullptr, any);
}

// Reads the experts of one token, or of a list of them.
void read_tokens(TokenRow row, const json& experts, const json* weights, const LogSink& sink) {
  if (!experts.is_array()) throw std::invalid_argument("experts of a token: a list was expected");
  if (experts.empty() || !experts.front().is_array()) {
    fill_row(row, experts, weights);
    return sink.token(row);
  }
  const std::int64_t first = row.token.value_or(0);
  for (std::size_t t = 0; t < experts.size(); ++t) {
    row.token = first + static_cast<std::int64_t>(t);
    fill_row(row, experts[t], weights && t < weights->size() ? &(*weights)[t] : nullptr);
    sink.token(row);
  }
}

std::vector<std::uint64_t> counts_of(const json& list) {
  std::vector<std::uint64_t> rows;
  for (const json& item : list) {
    const bool whole = item.is_number_integer() ||
                       (item.is_number_float() && item.get<double>() == std::floor(item.get<double>()));
    if (!whole || item.get<double>() < 0 || item.get<double>() > 0x1p53)
      throw std::invalid_argument("counts by expert: a whole number from 0 was expected");
    rows.push_back(item.get<std::uint64_t>());
  }
  if (rows.size() > static_cast<std::size_t>(kMostLoggedExperts))
    throw std::invalid_argument("counts of more experts than any model has");
  return rows;
}

// Reads counts by expert; by layer and expert; or by step, layer and expert. Returns the steps.
std::uint64_t read_counts(CountRow row, const json& counts, const LogSink& sink) {
  if (!counts.is_array() || counts.empty())
    throw std::invalid_argument("counts by expert: a list was expected");
  if (!counts.front().is_array()) {
    row.rows = counts_of(counts);
    sink.counts(row);
  } else if (!counts.front().empty() && counts.front().front().is_array()) {
    for (const json& step : counts) {
      read_counts(row, step, sink);
      ++row.step;
    }
    return counts.size();
  } else {
    for (const json& layer : counts) {
      row.rows = counts_of(layer);
      sink.counts(row);
      ++row.layer;
    }
  }
  return 1;
}

void read_meta(const json& value, LogMeta& meta) {
  const auto number = [&](std::initializer_list<const char*> names, std::uint32_t& to) {
    for (const char* name : names)
      if (const auto found = value.find(name); found != value.end() && found->is_number_integer())
        to = small_number(*found, name);
  };
  for (const char* name : {"model_id", "model", "model_name"})
    if (const auto found = value.find(name); found != value.end() && found->is_string())
      meta.model = found->get<std::string>();
  number({"top_k", "topk", "num_experts_per_tok"}, meta.top_k);
  number({"num_experts", "n_routed_experts", "num_logical_experts", "experts"}, meta.experts);
  number({"num_layers", "num_moe_layers", "num_hidden_layers"}, meta.layers);
  if (const auto logged = value.find("layers_logged"); logged != value.end() && logged->is_array())
    for (const json& layer : *logged) meta.layers_logged.push_back(small_number(layer, "layers_logged"));
}

}  // namespace

LogField log_field(std::string_view name) {
  struct Name {
    std::string_view name;
    LogField field;
  };
  using enum LogField;
  constexpr auto kNames = std::to_array<Name>({{"topk_ids", kExperts},     {"topk_weights", kWeights},
                                               {"layer", kLayer},          {"token_idx", kToken},
                                               {"req_id", kRequest},       {"type", kType},
                                               {"layer_id", kLayer},       {"layer_idx", kLayer},
                                               {"request_id", kRequest},   {"request", kRequest},
                                               {"seq_id", kRequest},       {"token", kToken},
                                               {"position", kToken},       {"topk_indices", kExperts},
                                               {"expert_ids", kExperts},   {"experts", kExperts},
                                               {"indices", kExperts},      {"routed_experts", kExperts},
                                               {"weights", kWeights},      {"probs", kWeights},
                                               {"topk_probs", kWeights},   {"step", kStep},
                                               {"window", kStep},          {"iteration", kStep},
                                               {"source", kSource},        {"rank", kSource},
                                               {"counts", kCounts},        {"logical_count", kCounts},
                                               {"expert_counts", kCounts}, {"tokens_per_expert", kCounts},
                                               {"expert_load", kCounts},   {"count", kCounts},
                                               {"rows", kCounts}});
  for (const Name& known : kNames)
    if (known.name == name) return known.field;
  return kNone;
}

std::uint64_t hash_with(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 32U);
}

std::uint64_t hash_of_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash == 0 ? 1 : hash;
}

std::uint64_t hash_with_weight(std::uint64_t hash, double weight) {
  return hash_with(hash + 1, std::bit_cast<std::uint64_t>(weight));
}

void finish_row(TokenRow& row, bool weighted, bool any_weight) {
  if (weighted && !any_weight) row.experts.clear();
  for (std::size_t i = 1; i < row.experts.size(); ++i)
    if (std::find(row.experts.begin(), row.experts.begin() + static_cast<std::ptrdiff_t>(i),
                  row.experts[i]) != row.experts.begin() + static_cast<std::ptrdiff_t>(i))
      throw std::invalid_argument(fmt::format("expert {} stands twice in one token", row.experts[i]));
}

bool scan_token_row(std::string_view line, TokenRow& row) {
  row.layer = 0;
  row.request = row.weights = 0;
  row.token.reset();
  row.experts.clear();
  Scanned seen;
  FlatScanner scanner(line);
  if (!scanner.take('{')) return false;
  std::uint32_t fields = 0;  // a name that comes twice is left to the other reader
  do {
    std::string_view name;
    if (!scanner.text(name) || !scanner.take(':')) return false;
    const LogField field = log_field(name);
    const std::uint32_t bit = 1U << static_cast<unsigned>(field);
    if ((fields & bit) != 0 || !scan_value(scanner, field, row, seen)) return false;
    fields |= bit;
  } while (scanner.take(','));
  if (!scanner.take('}') || !scanner.at_end() || !seen.experts) return false;
  finish_row(row, seen.weighted, seen.any_weight);
  return true;
}

void read_record(const json& value, std::uint64_t step, const LogSink& sink, LogMeta& meta) {
  if (value.is_array()) {
    const bool objects = !value.empty() && value.front().is_object();
    if (!objects) {
      read_counts({.step = step}, value, sink);
      return;
    }
    for (const json& item : value) read_record(item, step, sink, meta);
    return;
  }
  if (!value.is_object()) throw std::invalid_argument("a record was expected, in braces");
  TokenRow row;
  CountRow counted{.step = step};
  const json *experts = nullptr, *weights = nullptr, *counts = nullptr, *inner = nullptr;
  std::string type;
  for (const auto& [name, item] : value.items()) {
    switch (log_field(name)) {
      case LogField::kType:
        type = item.is_string() ? item.get<std::string>() : "";
        break;
      case LogField::kLayer:
        row.layer = counted.layer = small_number(item, name);
        break;
      case LogField::kRequest:
        row.request = item.is_null() ? 0 : request_of(item);
        break;
      case LogField::kToken:
        if (item.is_number_integer()) row.token = item.get<std::int64_t>();
        break;
      case LogField::kExperts:
        experts = item.is_array() ? &item : experts;
        break;
      case LogField::kWeights:
        weights = item.is_array() ? &item : nullptr;
        break;
      case LogField::kStep:
        counted.step = item.is_number_unsigned() ? item.get<std::uint64_t>() : step;
        break;
      case LogField::kSource:
        if (item.is_number_integer()) counted.source = small_number(item, name);
        break;
      case LogField::kCounts:
        counts = item.is_array() ? &item : counts;
        break;
      case LogField::kNone:
        if (name == "routes" || name == "records") inner = &item;
        break;
    }
  }
  if (type != "route") read_meta(value, meta);
  if (inner) return read_record(*inner, step, sink, meta);
  if (experts && (type.empty() || type == "route"))
    return read_tokens(std::move(row), *experts, weights, sink);
  if (counts) {
    read_counts(std::move(counted), *counts, sink);
    return;
  }
  if (type == "route") throw std::invalid_argument("a route without experts (topk_ids)");
  if (type != "meta") ++meta.other_lines;
}

}  // namespace a3sim
