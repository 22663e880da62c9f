#include <fmt/format.h>

#include <algorithm>

#include "models/operators/put.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

Rows intersect(Rows a, Rows b) {
  const std::uint32_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

// Base class of puts between plain tensors of which each rank of the group has a block of rows.
class BlockPut : public PutOperator {
 public:
  std::uint32_t num_inputs() const final { return 1; }
  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo>) const final {
    return shape.ep * cut.partitions;
  }

 protected:
  static std::string plain(const TensorInfo& in, const TensorInfo& out) {
    if (in.layout != Layout::kPlain || out.layout != Layout::kPlain) return "moves blocks of 'plain' rows";
    return same_width(in, out);
  }

  // Puts rows of the input, which are in one rank's block, to the rows of the output on `dst` that begin at
  // `to`. Chunks are counted in the block.
  static void add(const FillContext& context, const Operator& op, std::uint32_t dst, Rows rows,
                  std::uint32_t block_begin, std::uint32_t to, TaskTable& out) {
    const std::uint32_t chunk = context.cut.chunk;
    for (std::uint32_t begin = rows.begin; begin < rows.end;) {
      const std::uint32_t number = (begin - block_begin) / chunk;
      const std::uint32_t size = std::min(rows.end - begin, chunk - (begin - block_begin) % chunk);
      const std::uint32_t there = to + (begin - rows.begin);
      const Region input = whole(context.op.inputs[0], context.rank, {begin, begin + size});
      const Region output = whole(context.op.outputs[0], RankId{dst}, {there, there + size});
      TaskDescriptor td = describe(context, op, std::nullopt, there);
      td.dst = dst;
      td.chunk = td.tile = number;
      td.task_split_value = chunk;
      out.add(td, {&input, 1}, {&output, 1});
      begin += size;
    }
  }
};

// Sends every rank's rows to all ranks: block r of the output is rank r's input.
class AllGather final : public BlockPut {
 public:
  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = plain(inputs[0], outputs[0]); !why.empty()) return why;
    if (outputs[0].rows % inputs[0].rows == 0) return {};
    return fmt::format("'{}' has {} rows, expected those of '{}' ({}) for each rank", outputs[0].name,
                       outputs[0].rows, inputs[0].name, inputs[0].rows);
  }

  SplitSpec split_spec() const override { return {{}, {0}}; }

  // Tiles are those of the output, as its readers see them: this rank sends the part of each that is in its
  // block.
  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    const std::uint32_t block = info(context, context.op.inputs[0]).rows, first = index(context.rank) * block;
    const std::uint32_t all = info(context, context.op.outputs[0]).rows;
    if (all != block * context.shape.ep) {
      throw InputError(fmt::format("{}: {} rows are not gathered from {} ranks of {} rows", context.op.name,
                                   all, context.shape.ep, block));
    }
    const Rows rows = intersect(equal_cut({0, all}, tile.index, tile.count), {first, first + block});
    for (std::uint32_t dst = 0; dst < context.shape.ep; ++dst)
      add(context, *this, dst, {rows.begin - first, rows.end - first}, 0, rows.begin, out);
  }
};

// Sends block d of every rank's rows to rank d, as block r of its output: an exchange of counts, and the part
// of a reduce-scatter before the sum.
class AllToAll final : public BlockPut {
 public:
  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = plain(inputs[0], outputs[0]); !why.empty()) return why;
    return same_rows(inputs[0], outputs[0]);
  }

  SplitSpec split_spec() const override { return {{{0, 0}}, {-1}}; }

  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    const std::uint32_t all = info(context, context.op.inputs[0]).rows, ranks = context.shape.ep;
    if (all % ranks != 0) {
      throw InputError(
          fmt::format("{}: {} rows are not a block for each of {} ranks", context.op.name, all, ranks));
    }
    const std::uint32_t block = all / ranks;
    for (std::uint32_t dst = 0; dst < ranks; ++dst) {
      const Rows of_dst{dst * block, (dst + 1) * block};
      const Rows rows = intersect(equal_cut({0, all}, tile.index, tile.count), of_dst);
      add(context, *this, dst, rows, of_dst.begin, index(context.rank) * block + (rows.begin - of_dst.begin),
          out);
    }
  }
};

A3SIM_REGISTER(Operator, "AllGather", "puts every rank's rows to all ranks", AllGather);
A3SIM_REGISTER(Operator, "AllToAll", "puts block d of every rank's rows to rank d", AllToAll);

}  // namespace
}  // namespace a3sim
