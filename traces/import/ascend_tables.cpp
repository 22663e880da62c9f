#include <fmt/format.h>

#include "sim/core/error.h"
#include "traces/import/ascend_files.h"
#include "traces/import/kernel_rows.h"
#include "traces/import/rank_time.h"

namespace a3sim {

namespace fs = std::filesystem;

void read_kernels(const fs::path& table, std::uint32_t rank, std::optional<std::int64_t>& origin,
                  Measured& to) {
  KernelRows rows(table, origin);
  KernelOrder order;
  std::size_t dropped = 0;
  bool undated = false;
  while (rows.next()) {
    const KernelRow& row = rows.row();
    if (!row.time) {
      ++dropped;
      continue;
    }
    Occurrences& of = to.at(rank, row.name.starts_with("hcom_") ? exchange_of(row.name) : row.name);
    of.add(*row.time, row.wait);
    of.workers = std::max(of.workers, row.blocks);
    for (std::size_t core = 0; core < row.run.size(); ++core) {
      of.run += row.run[core];
      of.arithmetic += row.arithmetic[core];
    }
    of.hbm_bytes += row.hbm_bytes;
    undated = undated || !row.start;
    if (row.start) order.add(*row.start, *row.start + *row.time);
    if (!row.hit_rate) continue;
    of.hits += *row.hit_rate;
    ++of.hits_known;
  }
  if (dropped > 0)
    to.notes.push_back(fmt::format("{}: {} kernels without a duration are left out", rows.name(), dropped));
  if (!order.ordered())
    to.notes.push_back(fmt::format(
        "{}: kernels are not in the order of their starts: their gaps are not known", rows.name()));
  if (const std::optional<MeasuredSpan> span = order.span(); span && !undated) to.ranks[rank].span = span;
}

void read_steps(const fs::path& path, std::uint32_t rank, Measured& to) {
  constexpr double kLongest = 1e12;  // microseconds
  ProfiledTable table(path);
  const auto computing = table.needed({"Computing"}), communication = table.needed({"Communication"}),
             exposed = table.needed({"Communication(Not Overlapped)"}), free = table.needed({"Free"});
  MeasuredSteps sum;
  const auto time = [&](std::size_t column) {
    return from_microseconds(table.number(column, 0, kLongest).value_or(0));
  };
  for (std::size_t steps = 0; table.next(); ++steps) {
    if (steps > 1'000'000) throw InputError(table.name() + ": more than a million steps: is this a profile?");
    sum.computing += time(computing);
    sum.communication += time(communication);
    sum.exposed += time(exposed);
    sum.length += time(computing) + time(exposed) + time(free);
    if (sum.length > Duration(std::int64_t{1} << 61))
      throw InputError(table.name() + ": steps of more than 26 days: is this a profile?");
  }
  if (sum.length > Duration::zero()) to.ranks[rank].steps = sum;
}

}  // namespace a3sim
