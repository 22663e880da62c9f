#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/registry.h"
#include "sim/device/kernel_cost.h"

namespace a3sim {

// The case of a published measurement, which describes a kernel by keys.
class KernelCase {
 public:
  using Numbers = std::map<std::string, std::int64_t, std::less<>>;
  // Both must outlive this object. `numbers` are what a table adds to its case.
  KernelCase(const nlohmann::ordered_json& coordinates, const Numbers& numbers)
      : coordinates_(coordinates), numbers_(numbers) {}
  // Throw InputError if the case has no such number, type or list of numbers.
  std::uint64_t number(std::string_view key) const;
  std::uint64_t number(std::string_view key, std::uint64_t absent) const;
  std::vector<std::uint32_t> numbers(std::string_view key) const;
  DataType dtype() const;
  double element() const { return element_bytes(dtype()); }
  // True if rows of `width` elements begin at L2 lines.
  bool aligned(std::uint64_t width) const { return width * element_bytes(dtype()) % kL2Line == 0; }
  // Returns the number of conversions to fp32 and back: none if the kernel computes in fp32 anyway.
  double conversions(double count) const { return dtype() == DataType::kFp32 ? 0 : count; }
  bool is(std::string_view key, std::string_view text) const;

 private:
  const nlohmann::ordered_json& coordinates_;
  const Numbers& numbers_;
};

// The work of a kernel on a machine, and what is counted by hand.
struct KernelWork {
  MemoryJob job;
  Duration alone{};  // the known time of what `job` does not cover
  std::uint32_t launches = 1;
  double flops = 0;              // of products
  double read = 0, written = 0;  // bytes, each counted once
};

// A kernel of a layer, as benchmarks run it. One file per family; registered by the name that tables
// measure.
struct LayerKernel {
  static constexpr std::string_view kKind = "layer kernel";
  KernelWork (*work)(const KernelCase& kernel_case, KernelCost& cost);
};
using LayerKernels = Registry<LayerKernel>;

// Returns the work of a kernel that runs on all vector cores.
KernelWork vector_work(const KernelCost& cost, const VectorKernel& kernel);

}  // namespace a3sim
