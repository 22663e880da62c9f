#include "models/traffic/table_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/traffic/json_record.h"
#include "sim/core/csv.h"

namespace a3sim {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  text = without_blanks(text);
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return {};
  return value;
}

// Splits the numbers of a cell: "[3, 5]", "(3 5)", "3;5".
template <class Number>
std::vector<Number> numbers_in(std::string_view cell) {
  constexpr std::string_view kBetween = "[]() ,;|\t";
  std::vector<Number> numbers;
  for (std::size_t at = cell.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(cell.find_first_of(kBetween, at), cell.size());
    const std::optional<Number> number = number_in<Number>(cell.substr(at, end - at));
    if (!number) throw std::invalid_argument(fmt::format("'{}' is no number", cell.substr(at, end - at)));
    numbers.push_back(*number);
    at = cell.find_first_not_of(kBetween, end);
  }
  return numbers;
}

// The columns of a table by what they hold.
struct LogColumns {
  std::map<LogField, std::size_t> named;
  std::optional<std::size_t> expert;  // of the only count of a line
  // Columns with a number at the end of their names, in the order of these numbers.
  std::map<std::uint32_t, std::size_t> slots, experts, weights;

  explicit LogColumns(std::string_view header) {
    std::vector<std::string> names;
    split_csv(header, names);
    for (std::size_t c = 0; c < names.size(); ++c) add(without_blanks(names[c]), c);
  }
  std::optional<std::size_t> column(LogField field) const {
    const auto found = named.find(field);
    return found == named.end() ? std::nullopt : std::optional(found->second);
  }
  bool has_tokens() const { return named.contains(LogField::kExperts) || !slots.empty(); }
  bool has_counts() const { return !experts.empty() || (expert && named.contains(LogField::kCounts)); }

 private:
  void add(std::string_view name, std::size_t c) {
    if (const LogField field = log_field(name); field != LogField::kNone) {
      named.try_emplace(field, c);
      return;
    }
    if (name == "expert" || name == "expert_id") {
      expert = c;
      return;
    }
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
    const std::optional<std::uint32_t> number = number_in<std::uint32_t>(name.substr(digits));
    if (!number) return;
    const std::string_view stem = name.substr(0, digits);
    if (stem.empty() || stem == "expert_" || stem == "expert" || stem == "e") experts.emplace(*number, c);
    if (stem == "topk_" || stem == "topk" || stem == "slot_" || stem == "topk_ids_" || stem == "expert_id_")
      slots.emplace(*number, c);
    if (stem == "weight_" || stem == "topk_weights_" || stem == "w") weights.emplace(*number, c);
  }
};

class TableReader {
 public:
  TableReader(LogLines& lines, LogColumns columns, const LogSink& sink)
      : lines_(lines), columns_(std::move(columns)), sink_(sink) {}

  void read(std::string_view line) {
    split_csv(line, cells_);
    columns_.has_tokens() ? read_token() : read_counts();
  }
  // Passes on the counts of which one stands on a line.
  void finish() {
    for (const CountRow& counts : counted_) sink_.counts(counts);
    counted_.clear();
  }

 private:
  const std::string* cell(LogField field) const {
    const std::optional<std::size_t> column = columns_.column(field);
    return column && *column < cells_.size() && !cells_[*column].empty() ? &cells_[*column] : nullptr;
  }
  const std::string& cell(std::size_t column) const {
    if (column >= cells_.size())
      throw std::invalid_argument(fmt::format("{} cells, expected at least {}", cells_.size(), column + 1));
    return cells_[column];
  }
  template <class Number>
  Number number(const std::string& text, std::string_view what) const {
    const std::optional<Number> value = number_in<Number>(text);
    if (!value) throw std::invalid_argument(fmt::format("{}: '{}' is no whole number", what, text));
    return *value;
  }
  std::uint32_t layer() const {
    const std::string* const text = cell(LogField::kLayer);
    return text ? number<std::uint16_t>(*text, "layer") : 0;
  }

  void take_expert(std::int64_t expert) {
    if (expert > kMostLoggedExperts)
      throw std::invalid_argument(fmt::format("expert {}: larger than any", expert));
    if (expert >= 0) row_.experts.push_back(static_cast<std::uint32_t>(expert));
  }

  void read_token() {
    row_ = {};
    row_.layer = layer();
    if (const std::string* request = cell(LogField::kRequest)) row_.request = hash_of_text(*request);
    if (const std::string* token = cell(LogField::kToken)) row_.token = number<std::int64_t>(*token, "token");
    std::vector<double> weights;
    if (const std::string* experts = cell(LogField::kExperts)) {
      for (const std::int64_t expert : numbers_in<std::int64_t>(*experts)) take_expert(expert);
    }
    for (const auto& [slot, column] : columns_.slots)
      take_expert(number<std::int64_t>(cell(column), "expert"));
    if (const std::string* text = cell(LogField::kWeights)) weights = numbers_in<double>(*text);
    for (const auto& [slot, column] : columns_.weights)
      weights.push_back(number<double>(cell(column), "weight"));
    for (const double weight : weights) row_.weights = hash_with_weight(row_.weights, weight);
    finish_row(row_, !weights.empty(), std::ranges::any_of(weights, [](double w) { return w != 0; }));
    sink_.token(row_);
  }

  void read_counts() {
    CountRow counts;
    counts.layer = layer();
    const std::string* const step = cell(LogField::kStep);
    counts.step = step ? number<std::uint64_t>(*step, "step") : lines_.number() - 2;
    if (const std::string* source = cell(LogField::kSource))
      counts.source = number<std::uint16_t>(*source, "source");
    if (columns_.experts.empty()) return add_one(std::move(counts));
    for (const auto& [expert, column] : columns_.experts) {
      counts.rows.resize(expert + 1);
      counts.rows[expert] = number<std::uint64_t>(cell(column), "count");
    }
    sink_.counts(counts);
  }

  // Adds a count that stands alone on its line to those of the same step, layer and source before it.
  void add_one(CountRow counts) {
    if (!columns_.column(LogField::kStep)) counts.step = 0;
    const auto expert = number<std::uint16_t>(cell(*columns_.expert), "expert");
    const std::string* const text = cell(LogField::kCounts);
    if (!text) throw std::invalid_argument("no count");
    const auto same = [&](const CountRow& other) {
      return other.layer == counts.layer && other.source == counts.source;
    };
    if (!counted_.empty() && counted_.front().step != counts.step) finish();
    auto found = std::ranges::find_if(counted_, same);
    if (found == counted_.end()) found = counted_.insert(counted_.end(), std::move(counts));
    if (found->rows.size() <= expert) found->rows.resize(expert + 1U);
    found->rows[expert] += number<std::uint64_t>(*text, "count");
  }

  LogLines& lines_;
  LogColumns columns_;
  const LogSink& sink_;
  std::vector<std::string> cells_;
  TokenRow row_;
  std::vector<CountRow> counted_;  // of one step
};

}  // namespace

bool names_log_columns(std::string_view line) {
  if (line.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos) return false;
  const LogColumns columns(line);
  return columns.has_tokens() || columns.has_counts();
}

void read_table_log(LogLines& lines, std::string_view first, const LogSink& sink, LogMeta& meta) {
  if (!names_log_columns(first))
    lines.fail(
        "no log of traffic: expected JSON, or a line that names columns: layer, topk_ids; or step, layer, "
        "expert_0, ...");
  TableReader reader(lines, LogColumns(first), sink);
  std::string_view line;
  while (lines.next(line)) {
    if (without_blanks(line).empty()) continue;
    try {
      reader.read(line);
    } catch (const std::invalid_argument& error) {
      if (lines.ended()) lines.fail(error.what());
      meta.cut_off = true;
    }
  }
  reader.finish();
}

}  // namespace a3sim
