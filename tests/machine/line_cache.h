#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/memory/l2/policy.h"

namespace a3sim {

inline constexpr std::uint64_t kPerLine = kL2Line / kL2Request;

inline L2Spec spec_of(const std::string& policy, std::uint32_t ways, std::uint64_t sets,
                      L2Hash hash = L2Hash::kModulo) {
  const std::uint64_t size = std::uint64_t{kL2Line} * ways * sets;
  return {.size = {static_cast<std::int64_t>(size)}, .ways = ways, .hash = hash, .policy = policy};
}

inline std::unique_ptr<LineCache> lines_of(const L2Spec& spec) {
  check(spec);
  return Registry<L2Policy>::get(spec.policy).lines(spec);
}

inline ByteRows lines(std::uint64_t first, std::uint64_t count) { return {first * kL2Line, count * kL2Line}; }

inline L2Traffic touch(LineCache& cache, const ByteRows& where, bool write = false,
                       L2Hint hint = L2Hint::kNormal) {
  L2Traffic traffic;
  cache.access(where, {.write = write, .hint = hint}, traffic);
  return traffic;
}

inline std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const auto& [name, item] : Registry<L2Policy>::all()) names.push_back(name);
  return names;
}

}  // namespace a3sim
