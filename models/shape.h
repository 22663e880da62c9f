#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/core/enum_names.h"

namespace a3sim {

// Types of elements. Those of eight bits in floating point are FP8's two and Ascend's HiF8. The MX types of
// eight and of four bits have a scale of one byte (E8M0) for each 32 elements of a row.
enum class DataType : std::uint8_t {
  kBf16,
  kFp16,
  kFp32,
  kInt8,
  kInt32,
  kFp8E4m3,
  kFp8E5m2,
  kHif8,
  kMxfp8,
  kMxfp4
};
constexpr auto names_of(DataType) {
  return std::to_array<std::string_view>(
      {"bf16", "fp16", "fp32", "int8", "int32", "fp8_e4m3", "fp8_e5m2", "hif8", "mxfp8", "mxfp4"});
}

// Returns the bits of an element, without its part of a scale.
constexpr std::uint32_t element_bits(DataType type) {
  switch (type) {
    case DataType::kFp32:
    case DataType::kInt32:
      return 32;
    case DataType::kBf16:
    case DataType::kFp16:
      return 16;
    case DataType::kMxfp4:
      return 4;
    default:
      return 8;
  }
}

// The elements that share a scale of one byte in an MX type.
inline constexpr std::uint32_t kScaledElements = 32;
constexpr bool has_scales(DataType type) { return type == DataType::kMxfp8 || type == DataType::kMxfp4; }

// Returns the bytes of so many elements of a row, with their scales, rounded up to whole ones.
constexpr std::uint64_t bytes_of(DataType type, std::uint64_t elements) {
  const std::uint64_t packed = (elements * element_bits(type) + 7) / 8;
  return has_scales(type) ? packed + (elements + kScaledElements - 1) / kScaledElements : packed;
}
// Returns the bytes of an element with its part of a scale: 1.03125 for mxfp8.
constexpr double element_bytes(DataType type) {
  return element_bits(type) / 8.0 + (has_scales(type) ? 1.0 / kScaledElements : 0);
}

// The sizes of one MoE feed-forward layer over an expert-parallel group, from which all operators' sizes
// follow.
struct MoeShape {
  std::uint32_t tokens = 0;            // tokens per rank
  std::uint32_t hidden = 0;            // model width
  std::uint32_t intermediate = 0;      // width of one expert
  std::uint32_t top_k = 0;             // experts per token
  std::uint32_t experts_per_rank = 0;  // local experts
  std::uint32_t ep = 0;                // ranks in the group
  DataType dtype = DataType::kBf16;

  constexpr std::uint32_t experts() const { return experts_per_rank * ep; }
  friend constexpr bool operator==(const MoeShape&, const MoeShape&) = default;
};

}  // namespace a3sim
