#include "models/operators/tile.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"

namespace a3sim {

void check(const CutOptions& cut) {
  if (cut.shares == 0 || cut.partitions == 0 || cut.chunk == 0 || cut.task_rows == 0 || cut.parts == 0 ||
      std::ranges::count(cut.segments, 0U) > 0) {
    throw InputError(fmt::format(
        "cannot cut work into nothing: shares {}, partitions {}, chunk {}, task rows {}, parts {} "
        "and segments must all be positive",
        cut.shares, cut.partitions, cut.chunk, cut.task_rows, cut.parts));
  }
}

void TaskTable::add(const TaskDescriptor& task, std::span<const Region> inputs,
                    std::span<const Region> outputs) {
  TaskDescriptor& td = tasks.emplace_back(task);
  td.first_region = static_cast<std::uint32_t>(regions.size());
  td.num_inputs = static_cast<std::uint8_t>(inputs.size());
  td.num_outputs = static_cast<std::uint8_t>(outputs.size());
  // Copies one by one: there are few regions, and copying ranges is slow for these.
  for (const Region& input : inputs) regions.push_back(input);
  for (const Region& output : outputs) regions.push_back(output);
}

std::optional<ExpertTile> expert_tile(const MoeShape& shape, Tile tile) {
  const std::uint32_t experts = shape.experts_per_rank;
  if (tile.count == 1 && experts > 1) return std::nullopt;
  if (tile.count % experts != 0) {
    throw InputError(fmt::format("{} tiles do not fall evenly on {} local experts", tile.count, experts));
  }
  const std::uint32_t partitions = tile.count / experts;
  return ExpertTile{tile.index / partitions, tile.index % partitions, partitions};
}

TileRows tile_rows(const FillContext& context, TensorId tensor, Tile tile) {
  const TensorInfo& tensor_info = info(context, tensor);
  const Rows all{0, tensor_info.rows};
  if (tensor_info.layout != Layout::kReceived) return {equal_cut(all, tile.index, tile.count), std::nullopt};
  const auto part = expert_tile(context.shape, tile);
  if (!part) return {all, std::nullopt};
  return {context.layout.partition(index(context.rank), part->expert, part->partition, part->partitions),
          part->expert};
}

SegmentRows segment_rows(const FillContext& context, std::uint32_t segment) {
  const std::vector<std::uint32_t>& sizes = context.cut.segments;
  std::uint32_t first = sizes.empty() ? segment : 0, experts = sizes.empty() ? 1 : sizes[segment];
  for (std::uint32_t s = 0; s < segment && !sizes.empty(); ++s) first += sizes[s];
  const std::uint32_t rank = index(context.rank);
  const Rows rows{context.layout.received_expert(rank, first).begin,
                  context.layout.received_expert(rank, first + experts - 1).end};
  return {rows, experts == 1 ? std::optional(first) : std::nullopt};
}

std::uint32_t row_tiles(const MoeShape& shape, const CutOptions& cut, const TensorInfo& tensor) {
  if (tensor.layout == Layout::kReceived) {
    if (!cut.segments.empty()) return static_cast<std::uint32_t>(cut.segments.size()) * cut.parts;
    return shape.experts_per_rank * cut.partitions;
  }
  // The routing decides what a rank sends; this is the upper bound.
  const std::uint32_t rows = tensor.layout == Layout::kSent ? shape.tokens * shape.top_k : tensor.rows;
  return std::max(1U, (rows + cut.task_rows - 1) / cut.task_rows);
}

TaskDescriptor describe(const FillContext& context, const Operator& op, std::optional<std::uint32_t> expert,
                        std::uint32_t row) {
  TaskDescriptor td{};
  td.task_type = static_cast<std::uint16_t>(op.task_type());
  td.op = static_cast<std::uint16_t>(index(context.op_id));
  td.dependent_event = td.trigger_event = td.trigger_rank = kNone;
  td.tiling_data_position = kNone;
  td.expert = expert ? static_cast<std::uint16_t>(*expert) : kNoExpert;
  td.gexpert = expert ? index(context.rank) * context.shape.experts_per_rank + *expert : kNone;
  td.src = td.dst = index(context.rank);
  td.row = row;
  return td;
}

Region whole(TensorId tensor, RankId rank, Rows rows) {
  return {index(tensor), index(rank), rows.begin, rows.end, 0, 1, 0};
}

Region metadata(const FillContext& context, TensorId tensor) {
  Region region = whole(tensor, context.rank, {0, info(context, tensor).rows});
  region.flags = kMetadata;
  return region;
}

Rows real_rows(const WorkContext& context, const Region& region) {
  return context.layout.pack(context.tensors[region.tensor].layout, region.rank, region.rows());
}

Stream stream(const WorkContext& context, const Region& region, bool write) {
  const Rows rows = real_rows(context, region);
  const TensorId tensor{region.tensor};
  const TensorInfo& rows_of = info(context, tensor);
  return {.tensor = tensor,
          .rank = RankId{region.rank},
          .rows = rows,
          .bytes = rows.size() * rows_of.row_bytes(),
          .write = write,
          .pitch = has_scales(rows_of.dtype) ? rows_of.pitch() : 0};
}

std::string same_layout(const TensorInfo& a, const TensorInfo& b) {
  if (a.layout == b.layout) return {};
  return fmt::format("'{}' is {}, '{}' is {}", a.name, name_of(a.layout), b.name, name_of(b.layout));
}

std::string as_many_cols(const TensorInfo& a, const TensorInfo& b) {
  if (a.cols == b.cols) return {};
  return fmt::format("'{}' has {} columns, '{}' has {}", a.name, a.cols, b.name, b.cols);
}

std::string same_width(const TensorInfo& a, const TensorInfo& b) {
  if (a.cols == b.cols && a.dtype == b.dtype) return {};
  return fmt::format("'{}' has {} columns of {}, '{}' has {} of {}", a.name, a.cols, name_of(a.dtype), b.name,
                     b.cols, name_of(b.dtype));
}

std::string as_many_rows(const TensorInfo& a, const TensorInfo& b) {
  if (std::string why = same_layout(a, b); !why.empty() || a.rows == b.rows) return why;
  return fmt::format("'{}' has {} rows, '{}' has {}", a.name, a.rows, b.name, b.rows);
}

std::string same_rows(const TensorInfo& a, const TensorInfo& b) {
  if (std::string why = same_layout(a, b); !why.empty()) return why;
  if (a.dtype == b.dtype) return as_many_rows(a, b);
  return fmt::format("'{}' is {}, '{}' is {}", a.name, name_of(a.dtype), b.name, name_of(b.dtype));
}

}  // namespace a3sim
