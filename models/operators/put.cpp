#include "models/operators/put.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/operators/data.h"

namespace a3sim {
namespace {

Stream beginning_of(Stream stream, std::uint32_t rows) {
  if (rows >= stream.rows.size()) return stream;
  stream.bytes = stream.bytes / stream.rows.size() * rows;
  stream.rows.end = stream.rows.begin + rows;
  return stream;
}

}  // namespace

std::string RoutedPut::mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                                bool) const {
  if (inputs[0].layout != from() || outputs[0].layout != to()) {
    return fmt::format(
        "moves rows from a tensor laid out '{}' to one laid out '{}', not '{}' ({}) to '{}' ({})",
        name_of(from()), name_of(to()), inputs[0].name, name_of(inputs[0].layout), outputs[0].name,
        name_of(outputs[0].layout));
  }
  if (!inputs[1].external) return fmt::format("its counts '{}' must be external", inputs[1].name);
  return same_width(inputs[0], outputs[0]);
}

std::uint32_t RoutedPut::task_number(const MoeShape& shape, const CutOptions& cut,
                                     std::span<const TensorInfo>) const {
  return shape.experts_per_rank * cut.partitions;
}

Stream PutOperator::source(const WorkContext& context, const TaskView& task, const Stream&) const {
  return stream(context, task.inputs[0], false);
}

void PutOperator::work(const WorkContext& context, const TaskView& task, Work& out) const {
  out.kind = WorkKind::kPut;
  out.src = context.rank;
  out.dst = RankId{task.td.dst};
  const std::uint32_t rows = rows_brought(context, task);
  const Stream to = beginning_of(stream(context, task.outputs[0], true), rows);
  out.put_bytes = to.bytes;
  set_pieces(to.rows.size(), info(context, to.tensor).cols, out);
  if (to.bytes == 0) return;
  out.streams.push_back(beginning_of(source(context, task, to), rows));
  out.streams.push_back(to);
}

void PutOperator::compute(const WorkContext& context, const TaskView& task, Data& data) const {
  const Region &in = task.inputs[0], &out = task.outputs[0];
  const Rows from = real_rows(context, in), to = real_rows(context, out);
  for (std::uint32_t r = 0; r < from.size(); ++r) {
    const auto source = data.tensor(RankId{in.rank}, TensorId{in.tensor}).row(from.begin + r);
    const auto target = data.tensor(RankId{out.rank}, TensorId{out.tensor}).row(to.begin + r);
    std::copy(source.begin(), source.end(), target.begin());
  }
}

}  // namespace a3sim
