#pragma once

#include <optional>
#include <string>

#include "models/operators/operator.h"

// What the operators have in common: what a tile of a tensor
// means, and the fields of a descriptor that follow from it.
namespace a3sim {

// A partition of one local expert's rows.
struct ExpertTile {
  std::uint32_t expert, partition, partitions;
};

// What a tile of a tensor in the received layout stands for: with E local experts, tile i of E*P is partition
// i % P of expert i / P. None: an unsplit operator's tile, all experts. (Of a single expert, everything is
// its only tile.) Throws InputError if the tiles do not fall evenly on the experts.
std::optional<ExpertTile> expert_tile(const MoeShape& shape, Tile tile);

// Rows of a tensor that a tile covers, in capacity rows.
// Everything but the received layout is cut into equal tiles.
struct TileRows {
  Rows rows;
  std::optional<std::uint32_t> expert;  // local; none where the rows are not of one expert
};
TileRows tile_rows(const FillContext& context, TensorId tensor, Tile tile);

// Tiles of an operator whose input 0 is `tensor` and which inherits nothing: partitions of experts in the
// received layout, else tiles of cut.task_rows rows.
std::uint32_t row_tiles(const MoeShape& shape, const CutOptions& cut, const TensorInfo& tensor);

// A descriptor of local work whose first output row is `row`; no events, queues or regions yet.
TaskDescriptor describe(const FillContext& context, const Operator& op, std::optional<std::uint32_t> expert,
                        std::uint32_t row);

// Whole rows of a rank's tensor; metadata is all of a tensor that nobody waits for.
Region whole(TensorId tensor, RankId rank, Rows rows);
Region metadata(const FillContext& context, TensorId tensor);

// Real rows of a region.
Rows real_rows(const WorkContext& context, const Region& region);

inline const TensorInfo& info(const WorkContext& context, TensorId id) { return context.tensors[index(id)]; }
inline const TensorInfo& info(const FillContext& context, TensorId id) { return context.tensors[index(id)]; }

// A stream over the real rows of a region, in order.
Stream stream(const WorkContext& context, const Region& region, bool write);

// An empty string, or why the operands differ where they have to be the same.
std::string same_layout(const TensorInfo& a, const TensorInfo& b);
std::string same_width(const TensorInfo& a, const TensorInfo& b);  // columns, type
std::string as_many_cols(const TensorInfo& a, const TensorInfo& b);
std::string as_many_rows(const TensorInfo& a, const TensorInfo& b);  // and of one layout
std::string same_rows(const TensorInfo& a, const TensorInfo& b);     // layout, rows, type

}  // namespace a3sim
