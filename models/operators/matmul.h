#pragma once

#include <optional>

#include "models/operators/tile.h"

// Functions that the matrix operators share.
namespace a3sim {

// Returns the type in which the cube sums products of operands of this type.
DataType sum_type(DataType operands);
// True if a product of such operands may have the type `result`: their own, that of the sums, or, for those of
// eight bits and fewer, a 16-bit type into which sums are converted as they leave the cube.
bool gives(DataType operands, DataType result);
// True if the cube multiplies operands of these types: of one type, or rows in mxfp8 by weights in mxfp4.
bool multiply_together(DataType a, DataType b);

// Returns the rows of one expert in a tensor of weights.
Rows expert_weights(const MoeShape& shape, const TensorInfo& weights, std::uint32_t expert);

// Appends the shares of one product whose output region is `output`: as many as the cut says, but none
// without a block. `td` describes the first share.
void add_shares(const FillContext& context, TaskDescriptor td, std::span<const Region> inputs, Region output,
                std::uint32_t shares, TaskTable& out);

// Fills in what all matrix tasks have in common: operands, share, tiling. The caller adds the products.
void start_cube_work(const WorkContext& context, const TaskView& task, Work& out);
// Clears the work if no block of any product belongs to the share.
void finish_cube_work(Work& out);

// Computes the products on real tensors of one rank: sums in fp32 in the order of k, and rounds once.
// `scales` is a tensor with a row per expert and a scale per column; sums are multiplied by these before
// rounding. The result is written on rank `to`, if one is given.
void multiply(const WorkContext& context, const Work& work, Data& data, std::optional<TensorId> scales = {},
              std::optional<RankId> to = {});

// Returns an empty string, or why the operands of C = A B do not fit. `b_rows` x `b_cols` is B as it is
// multiplied.
std::string check_product(const TensorInfo& a, std::uint32_t a_cols, const TensorInfo& b,
                          std::uint32_t b_rows, std::uint32_t b_cols, const TensorInfo& c);

}  // namespace a3sim
