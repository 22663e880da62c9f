#include "models/operators/elementwise.h"

#include <algorithm>
#include <array>
#include <utility>

#include "models/operators/data.h"

namespace a3sim {
namespace {

constexpr std::size_t kMaxInputs = 2, kMaxOutputs = 2;

}  // namespace

std::vector<std::string_view> elementwise_operators() {
  std::vector<std::string_view> names;
  for (const auto& [name, item] : Operators::all()) {
    if (!item.object->row_widths(1).empty()) names.push_back(name);
  }
  return names;
}

std::uint32_t ElementwiseOperator::task_number(const MoeShape& shape, const CutOptions& cut,
                                               std::span<const TensorInfo> inputs) const {
  return row_tiles(shape, cut, inputs[0]);
}

void ElementwiseOperator::fill_config(const FillContext& context, Tile tile, TaskTable& out) const {
  check(context.cut);
  if (!context.cut.segments.empty() && info(context, context.op.outputs[0]).layout == Layout::kReceived) {
    const std::uint32_t parts = context.cut.parts, segment = tile.index / parts, part = tile.index % parts;
    const SegmentRows rows = segment_rows(context, segment);
    add(context, {equal_cut(rows.rows, part, parts), rows.expert}, part, segment, out);
    return;
  }
  const TileRows tiled = tile_rows(context, context.op.outputs[0], tile);
  // Only a partition of an expert is cut further. Elsewhere a tile already has task_rows rows, or is
  // everything.
  const std::uint32_t step = tiled.expert ? context.cut.task_rows : tiled.rows.size();
  std::uint32_t number = tiled.expert ? 0 : tile.index;
  for (std::uint32_t begin = tiled.rows.begin; begin < tiled.rows.end; begin += step) {
    const Rows rows{begin, begin + std::min(step, tiled.rows.end - begin)};
    add(context, {rows, tiled.expert}, number++, 0, out);
    if (step > tiled.rows.end - begin) break;
  }
}

void ElementwiseOperator::add(const FillContext& context, const TileRows& rows, std::uint32_t number,
                              std::uint32_t segment, TaskTable& out) const {
  if (rows.rows.empty()) return;
  std::array<Region, kMaxInputs> inputs;
  for (std::size_t i = 0; i < context.op.inputs.size(); ++i)
    inputs[i] = whole(context.op.inputs[i], context.rank, rows.rows);
  std::array<Region, kMaxOutputs> outputs;
  for (std::size_t i = 0; i < context.op.outputs.size(); ++i)
    outputs[i] = whole(context.op.outputs[i], context.rank, rows.rows);
  TaskDescriptor td = describe(context, *this, rows.expert, rows.rows.begin);
  td.task_split_value = rows.rows.size();
  td.tile = number;
  td.chunk = segment;
  out.add(td, {inputs.data(), context.op.inputs.size()}, {outputs.data(), context.op.outputs.size()});
}

void ElementwiseOperator::work(const WorkContext& context, const TaskView& task, Work& out) const {
  const Rows rows = real_rows(context, task.outputs[0]);
  if (rows.empty()) return;
  out.kind = WorkKind::kVector;
  std::uint64_t width = info(context, TensorId{task.outputs[0].tensor}).cols;
  const DataType dtype = info(context, TensorId{task.outputs[0].tensor}).dtype;
  // fp16 has its own arithmetic, and fp32 is that of all others.
  const bool widened = dtype == DataType::kBf16 || element_bits(dtype) <= 8;
  for (const Region& region : task.inputs) {
    const std::uint64_t cols = info(context, TensorId{region.tensor}).cols;
    if (cols > 1) width = std::min(width, cols);
    out.streams.push_back(stream(context, region, false));
  }
  for (const Region& region : task.outputs) out.streams.push_back(stream(context, region, true));
  const VectorOps ops = per_element();
  const std::uint64_t elements = rows.size() * width;
  out.ops = {.simple_fp32 = elements * ops.simple_fp32,
             .convert = widened ? elements * ops.convert : 0,
             .transcendental = elements * ops.transcendental,
             .dependent = std::uint64_t{rows.size()} * dependent_per_row(),
             .scalar = std::uint64_t{rows.size()} * lines_per_row(static_cast<std::uint32_t>(width))};
}

void ElementwiseOperator::compute(const WorkContext& context, const TaskView& task, Data& data) const {
  const Rows rows = real_rows(context, task.outputs[0]);
  for (std::uint32_t r = rows.begin; r < rows.end; ++r) {
    std::array<std::span<const float>, kMaxInputs> inputs;
    for (std::size_t i = 0; i < task.inputs.size(); ++i) {
      const Region& in = task.inputs[i];
      inputs[i] = std::as_const(data).tensor(RankId{in.rank}, TensorId{in.tensor}).row(r);
    }
    std::array<std::span<float>, kMaxOutputs> outputs;
    for (std::size_t i = 0; i < task.outputs.size(); ++i) {
      const Region& out = task.outputs[i];
      outputs[i] = data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(r);
    }
    compute_row({inputs.data(), task.inputs.size()}, {outputs.data(), task.outputs.size()});
    for (std::size_t i = 0; i < task.outputs.size(); ++i) {
      const DataType dtype = info(context, TensorId{task.outputs[i].tensor}).dtype;
      for (float& value : outputs[i]) value = round_to(dtype, value);
    }
  }
}

}  // namespace a3sim
