#include "scheduler/orders/order_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>

#include "sim/core/csv.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// The required columns, in the order in which a line's fields are collected.
enum Column : std::size_t { kRank, kQueue, kOp, kIndex, kColumns };
constexpr std::array<std::string_view, kColumns> kColumnNames = {"rank", "queue", "op", "index"};

std::string or_empty(std::uint32_t value, std::uint32_t none) {
  return value == none ? "" : std::to_string(value);
}

std::string operands(const Ssc& ssc, std::span<const Region> regions) {
  std::string out;
  for (const Region& r : regions) {
    if (!out.empty()) out += ';';
    out += fmt::format("{}[{}:{})@{}", ssc.tensors()[r.tensor].name, r.row_begin, r.row_end, r.rank);
    if (r.shares > 1) out += fmt::format(" share {}/{}", r.share, r.shares);
  }
  return csv_cell(out);
}

void export_task(const Ssc& ssc, std::uint32_t queue, std::size_t position, std::string& out) {
  const std::uint32_t task = ssc.queue(queue)[position];
  const TaskDescriptor& t = ssc.tasks()[task];
  fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},", index(ssc.rank()),
                 ssc.kinds()[queue].queue(), position, csv_cell(ssc.operators()[t.op].name), t.task_index,
                 task, t.task_type, t.worker_set, or_empty(t.dependent_event, kNone), t.trigger_rank,
                 t.trigger_event, t.task_split_num, t.task_split_value,
                 or_empty(t.tiling_data_position, kNone));
  fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{}\n", t.stage,
                 or_empty(t.expert, kNoExpert), or_empty(t.gexpert, kNone), t.src, t.dst, t.row, t.tile,
                 t.chunk, operands(ssc, ssc.inputs(t)), operands(ssc, ssc.outputs(t)));
}

// Iterates over lines; a quoted field may span several.
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  // Returns the fields of the next line that is not blank, or none at the end.
  std::optional<std::vector<std::string>> next() {
    while (at_ < text_.size()) {
      line_ = next_line_;
      std::vector<std::string> fields{field()};
      while (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        fields.push_back(field());
      }
      end_line();
      if (fields.size() > 1 || !fields[0].empty()) return fields;
    }
    return std::nullopt;
  }

  std::uint32_t line() const { return line_; }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(
        fmt::format("{}:{}: {}", name_, line_, fmt::format(format, std::forward<Args>(args)...)));
  }

 private:
  std::string field() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted_field();
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted_field() {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++next_line_;
      if (text_[at_] != '"') {
        out += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        out += text_[++at_];
      } else {
        ++at_;
        return out;
      }
    }
    fail("a quote is not closed");
  }

  void end_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] != '\n')
      fail("a comma or the end of the line expected behind a field");
    if (at_ < text_.size()) ++at_;
    ++next_line_;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1, next_line_ = 1;
};

std::array<std::size_t, kColumns> find_columns(const CsvReader& reader,
                                               const std::vector<std::string>& header) {
  std::array<std::size_t, kColumns> at{};
  for (std::size_t c = 0; c < kColumns; ++c) {
    const auto count = std::ranges::count(header, kColumnNames[c]);
    if (count != 1) {
      reader.fail("one column '{}' expected in the first line, {} found (needed: rank, queue, op, index)",
                  kColumnNames[c], count);
    }
    at[c] = static_cast<std::size_t>(std::ranges::find(header, kColumnNames[c]) - header.begin());
  }
  return at;
}

std::uint32_t number(const CsvReader& reader, const std::string& text, Column column) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    reader.fail("{}: '{}' is not a whole number", kColumnNames[column], text);
  }
  return value;
}

}  // namespace

std::string export_order(const Schedule& schedule) {
  std::string out =
      "rank,queue,position,op,index,task,task_type,worker_set,dependent_event,trigger_rank,trigger_event,"
      "task_split_num,task_split_value,tiling_data_position,stage,expert,gexpert,src,dst,row,tile,chunk,"
      "inputs,outputs\n";
  for (const Ssc& ssc : schedule) {
    for (std::uint32_t queue = 0; queue < ssc.queues(); ++queue) {
      for (std::size_t i = 0; i < ssc.queue(queue).size(); ++i) export_task(ssc, queue, i, out);
    }
  }
  return out;
}

std::vector<OrderSpec::Explicit> read_order_csv(std::string_view text, const std::string& name,
                                                CoreUnit unit) {
  CsvReader reader(text, name);
  const auto header = reader.next();
  if (!header) reader.fail("a first line with the names of the columns expected");
  const auto at = find_columns(reader, *header);
  std::vector<OrderSpec::Explicit> list;
  while (const auto fields = reader.next()) {
    if (fields->size() != header->size()) {
      reader.fail("{} fields, {} columns", fields->size(), header->size());
    }
    const std::string& queue_name = (*fields)[at[kQueue]];
    if (std::ranges::find(kPlanNames, queue_name) == std::end(kPlanNames)) {
      reader.fail("queue: '{}' expected, '{}' found", fmt::join(kPlanNames, "' or '"), queue_name);
    }
    OrderSpec::Explicit entry{number(reader, (*fields)[at[kRank]], kRank), (*fields)[at[kOp]],
                              number(reader, (*fields)[at[kIndex]], kIndex), reader.line()};
    if (entry.op.empty()) reader.fail("op: an operator's name expected");
    if (queue_name == plan_name(unit)) list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace a3sim
