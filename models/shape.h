#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/core/enum_names.h"

namespace a3sim {

enum class DataType : std::uint8_t { kBf16, kFp16, kFp32, kInt8, kInt32 };
constexpr auto names_of(DataType) {
  return std::to_array<std::string_view>({"bf16", "fp16", "fp32", "int8", "int32"});
}

constexpr std::uint32_t element_bytes(DataType type) {
  switch (type) {
    case DataType::kFp32:
    case DataType::kInt32:
      return 4;
    case DataType::kInt8:
      return 1;
    default:
      return 2;
  }
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
