#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "sim/core/registry.h"
#include "sim/memory/l2/l2.h"
#include "sim/memory/l2/line_cache.h"
#include "sim/memory/l2/piece_l2.h"

namespace a3sim {

// A replacement policy. Each policy is one file in policies/: a class that orders lines within their sets, a
// class that orders pieces, and the line that registers both.
class L2Policy {
 public:
  static constexpr std::string_view kKind = "L2 replacement policy";
  virtual ~L2Policy() = default;

  // The spec and the tensors must be valid.
  virtual std::unique_ptr<LineCache> lines(const L2Spec& spec) const = 0;
  virtual std::unique_ptr<PieceL2> pieces(const L2Spec& spec, std::span<const L2Tensor> tensors,
                                          std::uint32_t ops) const = 0;
};

}  // namespace a3sim
