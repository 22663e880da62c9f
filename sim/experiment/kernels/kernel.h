#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"
#include "sim/device/kernel_cost.h"
#include "sim/runtime/streams/stream_program.h"

namespace a3sim {

// The work of a kernel on a machine: one task of one device, or a program of a few devices.
struct KernelWork {
  MemoryJob job{};
  Duration alone{};  // the known time of what `job` does not cover
  std::uint32_t launches = 1;
  bool matrix = false;               // runs on matrix units
  DataType dtype = DataType::kBf16;  // of products' operands
  double flops = 0;                  // of products
  double read = 0, written = 0;      // bytes, each counted once
  StreamProgram
      program{};  // if it has tasks, they are what runs, and all above but `flops` counts for nothing
};

// A kernel, a copy or an exchange, as benchmarks run it. One file per family; registered by the name that
// `kernel.kind` gives.
struct KernelKind {
  static constexpr std::string_view kKind = "kernel";
  // Returns the work on the machine of the cost.
  using Write = std::function<KernelWork(KernelCost& cost)>;
  // Reads its sizes. Notes what is wrong.
  Write (*read)(const Config& config);
  std::vector<std::string_view> sizes;  // the keys that it reads
};
using KernelKinds = Registry<KernelKind>;

// Accepts the sizes of other kernels, which change nothing.
void let_other_sizes_stand(const Config& config, const KernelKind& kernel);

// For kernels: reads a size, a type that vectors compute with, or a list of sizes.
std::uint64_t read_size(const Config& config, std::string_view key);
std::uint32_t read_count(const Config& config, std::string_view key);
DataType read_float(const Config& config);
DataType read_type(const Config& config, std::string_view key);  // any that products have
std::vector<std::uint32_t> read_counts(const Config& config, std::string_view key);

// Operands of a type, in memory and in a vector core.
struct Elements {
  DataType dtype = DataType::kBf16;
  double bytes() const { return element_bytes(dtype); }
  // True if rows of `width` elements begin at L2 lines.
  bool aligned(std::uint64_t width) const { return width * element_bits(dtype) % (8 * kL2Line) == 0; }
  // Returns the number of conversions to fp32 and back: none if the kernel computes in fp32 anyway.
  double conversions(double count) const { return dtype == DataType::kFp32 ? 0 : count; }
};

// Returns the instructions for so many elements, given those for each.
VectorOps vector_ops(double elements, double simple, double convert, double transcendental);

// Returns the work of a kernel that runs on all vector cores.
KernelWork vector_work(const KernelCost& cost, const VectorKernel& kernel);

}  // namespace a3sim
