#include "traces/analysis/operator_blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace a3sim {
namespace {

void add(OperatorBlame& to, const Trace& trace, const CriticalPath& path, int sign) {
  for (std::size_t op = 0; op < path.blame.size(); ++op) {
    const std::string& name = trace.operators[op].name;
    const auto found = std::ranges::find(to.operators, name);
    const auto place = static_cast<std::size_t>(found - to.operators.begin());
    if (found == to.operators.end()) {
      to.operators.push_back(name);
      to.blame.emplace_back();
    }
    for (std::uint32_t b = 0; b < kBlames; ++b) to.blame[place][b] += sign * path.blame[op][b];
  }
}

bool is_any(Duration time) { return time != Duration::zero(); }

}  // namespace

OperatorBlame blame_of(const Trace& trace, const CriticalPath& path) {
  OperatorBlame blame;
  add(blame, trace, path, 1);
  return blame;
}

std::vector<MainBlame> ranked_blame(const OperatorBlame& blame) {
  constexpr std::size_t kMost = 2;
  constexpr double kLeastShare = 0.2;
  BlameTimes sums{};
  Duration whole{};
  for (const BlameTimes& times : blame.blame) {
    for (std::size_t cause = 0; cause < kBlames; ++cause) sums[cause] += times[cause];
  }
  for (const Duration time : sums) whole += time;
  std::vector<MainBlame> ranked;
  for (std::size_t cause = 0; cause < kBlames; ++cause) {
    if (!is_any(sums[cause])) continue;
    MainBlame& result = ranked.emplace_back();
    result.blame = static_cast<Blame>(cause);
    result.part = seconds(sums[cause]) / seconds(whole);
    std::vector<std::size_t> ops(blame.operators.size());
    std::iota(ops.begin(), ops.end(), std::size_t{0});
    const auto time = [&](std::size_t op) { return blame.blame[op][cause]; };
    std::ranges::stable_sort(ops, [&](std::size_t a, std::size_t b) { return time(a) > time(b); });
    for (std::size_t i = 0; i < std::min(kMost, ops.size()); ++i) {
      if (seconds(time(ops[i])) >= kLeastShare * seconds(sums[cause]))
        result.operators.push_back(blame.operators[ops[i]]);
    }
  }
  std::ranges::stable_sort(ranked, std::greater{}, &MainBlame::part);
  return ranked;
}

OperatorBlame blame_difference(const Trace& a, const CriticalPath& of_a, const Trace& b,
                               const CriticalPath& of_b) {
  OperatorBlame difference = blame_of(a, of_a);
  add(difference, b, of_b, -1);
  return difference;
}

void add_blame(Report& report, const std::string& head, const OperatorBlame& blame) {
  std::vector<std::uint32_t> spent_on;
  std::vector<Column> columns{Column::words(head, "operator")};
  for (std::uint32_t b = 0; b < kBlames; ++b) {
    if (std::ranges::none_of(blame.blame, [&](const BlameTimes& times) { return is_any(times[b]); }))
      continue;
    spent_on.push_back(b);
    const std::string name(name_of(static_cast<Blame>(b)));
    columns.push_back(Column::milliseconds(name, "blame_ps." + name));
  }
  columns.push_back(Column::milliseconds("sum", "sum_ps"));
  Table& table = report.table("blame", std::move(columns));
  const auto add_row = [&](const std::string& name, const BlameTimes& times, Audience seen) {
    std::vector<Cell> row{name};
    Duration sum{};
    for (const std::uint32_t b : spent_on) {
      row.push_back(unless_zero(times[b]));
      sum += times[b];
    }
    row.push_back(sum);
    if (std::ranges::any_of(times, is_any)) table.add(std::move(row), seen);
  };
  BlameTimes sums{};
  for (std::size_t op = 0; op < blame.operators.size(); ++op) {
    add_row(blame.operators[op], blame.blame[op], Audience::kAll);
    for (std::uint32_t b = 0; b < kBlames; ++b) sums[b] += blame.blame[op][b];
  }
  add_row("sum", sums, Audience::kPeople);
}

}  // namespace a3sim
