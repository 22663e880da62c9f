#include "scheduler/compile/turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/core/error.h"

namespace a3sim {
namespace {

bool turns_by(const Placement& placement, std::uint32_t ranks, std::uint32_t turn) {
  for (std::uint32_t a = 0; a < ranks; ++a) {
    for (std::uint32_t b = 0; b < ranks; ++b) {
      if (placement.distance(a, b) != placement.distance((a + turn) % ranks, (b + turn) % ranks))
        return false;
    }
  }
  return true;
}

}  // namespace

std::uint32_t least_turn(const Placement& placement, std::uint32_t ranks) {
  std::uint32_t turn = 1;
  while (turn < ranks && (ranks % turn != 0 || !turns_by(placement, ranks, turn))) ++turn;
  return turn;
}

namespace {

// Returns the rows of rank `rank` - `turn` that stand for these rows on rank `rank`, if the group turns back by `turn`.
Rows turned_by(const RowLayout& layout, Layout tensor_layout, std::uint32_t rank, Rows rows,
               std::uint32_t turn) {
  if (turn == 0 || rows.empty()) return rows;
  const MoeShape& shape = layout.shape();
  const auto back = [&](std::uint32_t of) { return (of + shape.ep - turn) % shape.ep; };
  Rows here, there;
  if (tensor_layout == Layout::kReceived) {
    const std::uint32_t slot = layout.slot_of(tensor_layout, rank, rows.begin), expert = slot / shape.ep,
                        src = slot % shape.ep;
    here = layout.received_slot(rank, expert, src);
    there = layout.received_slot(back(rank), expert, back(src));
  } else if (tensor_layout == Layout::kSent) {
    const std::uint32_t expert = layout.slot_of(tensor_layout, rank, rows.begin);
    here = layout.sent_slot(rank, expert);
    there =
        layout.sent_slot(back(rank), (expert + (shape.ep - turn) * shape.experts_per_rank) % shape.experts());
  } else {
    throw InputError(fmt::format(
        "ranks that are alike can stand for one another where rows go to experts; here they go to a tensor "
        "laid out '{}': take experiment.simulate all",
        name_of(tensor_layout)));
  }
  if (rows.end > here.end)
    throw InputError(
        "ranks that are alike can stand for one another where each access of another rank's memory is of one "
        "rank's rows for one expert: take experiment.simulate all");
  if (here.size() != there.size())
    throw std::logic_error("rows of a group that turns lie in slots that do not");
  return {there.begin + (rows.begin - here.begin), there.begin + (rows.end - here.begin)};
}

// Of a tensor that has a row for each rank: the row of the source that lies as far behind.
Rows row_of_rank(std::uint32_t ranks, Rows rows, std::uint32_t turn) {
  if (rows.size() != 1)
    throw InputError(
        "ranks that are alike can stand for one another where each sends its own row of numbers: take "
        "experiment.simulate all");
  const std::uint32_t row = (rows.begin + ranks - turn) % ranks;
  return {row, row + 1};
}

}  // namespace

Rows turned_back(const RowLayout& layout, Layout tensor_layout, std::uint32_t rank, Rows rows,
                 std::uint32_t kept) {
  return turned_by(layout, tensor_layout, rank, rows, rank - rank % kept);
}

void turn_back(Taskflow::Rank& rank, const RowLayout& layout, std::uint32_t kept, std::uint32_t first) {
  const std::uint32_t ranks = layout.shape().ep;
  for (Region& region : rank.table.regions) {
    const std::uint32_t behind = (region.rank + ranks - first) % ranks, turn = behind - behind % kept;
    if (turn > 0) {
      const TensorInfo& tensor = rank.tensors[region.tensor];
      const Rows rows = tensor.layout == Layout::kPlain && tensor.rows == ranks
                            ? row_of_rank(ranks, region.rows(), turn)
                            : turned_by(layout, tensor.layout, region.rank, region.rows(), turn);
      region.row_begin = rows.begin;
      region.row_end = rows.end;
    }
    region.rank = behind % kept;
  }
}

}  // namespace a3sim
