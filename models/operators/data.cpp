#include "models/operators/data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
namespace a3sim {
namespace {

float round_to_bf16(float value) {
  if (value != value) return value;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // Adds half a unit of the last kept place, slightly less if the value is already even: ties go to even.
  return std::bit_cast<float>((bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U);
}

float round_to_fp16(float value) {
  constexpr float kSmallestNormal = 0x1p-14F, kOverflow = 65520.0F;  // halfway between 65504 and 2^16
  const float magnitude = std::fabs(value);
  if (!(magnitude < kOverflow)) return value != value ? value : std::copysign(HUGE_VALF, value);
  // The last place of 0.5 in fp32 is that of fp16's subnormals.
  if (magnitude < kSmallestNormal) return std::copysign(magnitude + 0.5F - 0.5F, value);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0xfffU + ((bits >> 13) & 1U)) & 0xffffe000U);
}

}  // namespace

float round_to(DataType type, float value) {
  switch (type) {
    case DataType::kBf16:
    // Checks on real tensors hold where rows go and which rows are multiplied. These types' own rounding, and
    // their scales, are left out.
    case DataType::kFp8E4m3:
    case DataType::kFp8E5m2:
    case DataType::kHif8:
    case DataType::kMxfp8:
    case DataType::kMxfp4:
      return round_to_bf16(value);
    case DataType::kFp16:
      return round_to_fp16(value);
    case DataType::kInt8:
      return std::clamp(std::nearbyint(value), -128.0F, 127.0F);
    case DataType::kInt32:
      return std::nearbyint(value);
    case DataType::kFp32:
      break;
  }
  return value;
}

std::vector<SentRow> sent_rows(const MoeShape& shape, std::span<const std::uint32_t> assignment,
                               std::span<const float> weights) {
  std::vector<std::vector<SentRow>> by_expert(shape.experts());
  for (std::size_t slot = 0; slot < assignment.size(); ++slot) {
    if (assignment[slot] == kNone) continue;
    by_expert[assignment[slot]].push_back({static_cast<std::uint32_t>(slot / shape.top_k), weights[slot]});
  }
  std::vector<SentRow> rows;
  for (const auto& of_expert : by_expert) rows.insert(rows.end(), of_expert.begin(), of_expert.end());
  return rows;
}

Data::Data(const RowLayout& layout, const std::vector<std::vector<TensorInfo>>& tensors_by_rank) {
  for (std::uint32_t rank = 0; rank < tensors_by_rank.size(); ++rank) {
    std::vector<TensorData>& tensors = tensors_.emplace_back();
    for (const TensorInfo& tensor : tensors_by_rank[rank]) {
      const std::uint32_t rows = layout.real_rows(tensor.layout, rank, tensor.rows);
      tensors.push_back(
          {rows, tensor.cols,
           std::vector<float>(std::size_t{rows} * tensor.cols, std::numeric_limits<float>::quiet_NaN())});
    }
  }
  sent.resize(tensors_by_rank.size());
}

}  // namespace a3sim
