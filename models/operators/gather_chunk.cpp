#include <fmt/format.h>

#include <algorithm>

#include "models/operators/put.h"

namespace a3sim {
namespace {

// Sends a chunk of every rank's rows to all other ranks, once the gate is open. The chunk is cut into
// CutOptions::partitions groups. The output has the first group of every other rank, then the second, and so on; in a
// group ranks stand by their distance around the group, so that all ranks do the same.
class GatherChunk final : public PutOperator {
 public:
  std::uint32_t num_inputs() const override { return 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    const TensorInfo &chunk = inputs[0], &all = outputs[0];
    if (chunk.layout != Layout::kPlain || all.layout != Layout::kPlain) return "moves blocks of 'plain' rows";
    if (std::string why = same_width(chunk, all); !why.empty() || all.rows % chunk.rows == 0) return why;
    return fmt::format("'{}' has {} rows, expected those of '{}' ({}) for each other rank", all.name,
                       all.rows, chunk.name, chunk.rows);
  }

  SplitSpec split_spec() const override { return {{}, {-1}}; }
  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo>) const override {
    return cut.partitions > 1 ? cut.partitions * (shape.ep - 1) : 1;
  }

  // A tile is a group of one other rank; a single tile stands for all of them.
  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const override {
    check(context.cut);
    const std::uint32_t others = context.shape.ep - 1, groups = tile.count > 1 ? tile.count / others : 1;
    if (tile.count > 1) return send(context, tile.index / others, groups, tile.index % others, out);
    for (std::uint32_t block = 0; block < others; ++block) send(context, 0, 1, block, out);
  }

 private:
  // Adds the puts of this rank's rows of a group to the rank for which they are `block` of the group.
  void send(const FillContext& context, std::uint32_t group, std::uint32_t groups, std::uint32_t block,
            TaskTable& out) const {
    const std::uint32_t ranks = context.shape.ep, dst = (index(context.rank) + ranks - 1 - block) % ranks;
    const std::uint32_t rows = info(context, context.op.inputs[0]).rows / groups, first = group * rows;
    const std::uint32_t to = (group * (ranks - 1) + block) * rows;
    const TensorId gate = context.op.inputs[1];
    const Region open = whole(gate, context.rank, {0, info(context, gate).rows});
    for (std::uint32_t begin = 0; begin < rows; begin += context.cut.chunk) {
      const std::uint32_t end = std::min(rows, begin + context.cut.chunk);
      const Region inputs[] = {whole(context.op.inputs[0], context.rank, {first + begin, first + end}), open};
      const Region output = whole(context.op.outputs[0], RankId{dst}, {to + begin, to + end});
      TaskDescriptor td = describe(context, *this, std::nullopt, output.row_begin);
      td.dst = dst;
      td.chunk = td.tile = (first + begin) / context.cut.chunk;
      td.task_split_value = context.cut.chunk;
      out.add(td, inputs, {&output, 1});
    }
  }
};

A3SIM_REGISTER(Operator, "GatherChunk", "puts a chunk of every rank's rows to all others", GatherChunk);

}  // namespace
}  // namespace a3sim
