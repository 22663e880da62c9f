#pragma once

#include <optional>
#include <string>

#include "models/operators/operator.h"

// Functions that operators share: the meaning of a tile, and the descriptor fields that follow from it.
namespace a3sim {

// A partition of one local expert's rows.
struct ExpertTile {
  std::uint32_t expert, partition, partitions;
};

// Returns the partition that a tile of a received tensor represents. With E local experts, tile i of E*P is
// partition i % P of expert i / P. Returns nullopt for the only tile of an operator that is not split, which
// covers all experts, unless there is a single expert. Throws InputError if the tiles do not divide evenly
// among experts.
std::optional<ExpertTile> expert_tile(const MoeShape& shape, Tile tile);

// The capacity rows of a tensor that a tile covers. Tensors that are not received are cut into equal tiles.
struct TileRows {
  Rows rows;
  std::optional<std::uint32_t> expert;  // local; nullopt: rows of several experts or none
};
TileRows tile_rows(const FillContext& context, TensorId tensor, Tile tile);

// The capacity rows of a segment of experts (CutOptions::segments; by default each expert is one), and the
// local expert if the segment has only one.
struct SegmentRows {
  Rows rows;
  std::optional<std::uint32_t> expert;
};
SegmentRows segment_rows(const FillContext& context, std::uint32_t segment);

// Returns the number of tiles of an operator that inherits no partition and whose input 0 is `tensor`:
// partitions of experts in the received layout, otherwise tiles of cut.task_rows rows.
std::uint32_t row_tiles(const MoeShape& shape, const CutOptions& cut, const TensorInfo& tensor);

// Returns a descriptor of local work with `row` as its first output row, without events, queues and regions.
TaskDescriptor describe(const FillContext& context, const Operator& op, std::optional<std::uint32_t> expert,
                        std::uint32_t row);

// whole() returns a region of whole rows; metadata() returns all of a tensor that no task waits for.
Region whole(TensorId tensor, RankId rank, Rows rows);
Region metadata(const FillContext& context, TensorId tensor);

// Returns the real rows of a region.
Rows real_rows(const WorkContext& context, const Region& region);

inline const TensorInfo& info(const WorkContext& context, TensorId id) { return context.tensors[index(id)]; }
inline const TensorInfo& info(const FillContext& context, TensorId id) { return context.tensors[index(id)]; }

// Returns a stream over the real rows of a region, in order.
Stream stream(const WorkContext& context, const Region& region, bool write);

// Return an empty string, or why two operands differ where they must be equal.
std::string same_layout(const TensorInfo& a, const TensorInfo& b);
std::string same_width(const TensorInfo& a, const TensorInfo& b);  // columns, type
std::string as_many_cols(const TensorInfo& a, const TensorInfo& b);
std::string as_many_rows(const TensorInfo& a, const TensorInfo& b);  // and of one layout
std::string same_rows(const TensorInfo& a, const TensorInfo& b);     // layout, rows, type

}  // namespace a3sim
