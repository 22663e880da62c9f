#include <bit>
#include <cmath>

#include "sim/core/whole_time.h"
#include "sim/experiment/kernels/kernel.h"

// Kernels that bring rows into types with scales.
namespace a3sim {
namespace {

// Counts elements of 16 bits as half of one in fp32, as a vector instruction takes twice as many of them.
VectorKernel hadamard_kernel(double elements, double width, DataType type) {
  const double stages = std::log2(width), bytes = elements * element_bytes(type);
  return {bytes, bytes, vector_ops(elements, stages * element_bits(type) / 32, 0, 0)};
}

// Finds the largest of each block, divides, converts.
VectorKernel quantize_kernel(double elements, DataType from, DataType to) {
  return {elements * element_bytes(from), elements * element_bytes(to), vector_ops(elements, 3, 2, 0)};
}

KernelKind::Write read_block_quantize(const Config& config) {
  const auto elements = static_cast<double>(read_size(config, "rows") * read_size(config, "width"));
  const DataType from = read_float(config), to = read_type(config, "to");
  return [=](KernelCost& cost) { return vector_work(cost, quantize_kernel(elements, from, to)); };
}

// Transforms rows by a Walsh-Hadamard matrix, in log2(width) stages of sums and differences.
KernelKind::Write read_hadamard(const Config& config) {
  const std::uint64_t rows = read_size(config, "rows"), width = read_size(config, "width");
  if (!std::has_single_bit(width)) config.error("width", "expected a power of two");
  const DataType type = read_float(config);
  return [=](KernelCost& cost) {
    return vector_work(cost,
                       hadamard_kernel(static_cast<double>(rows * width), static_cast<double>(width), type));
  };
}

// Transforms rows and quantises them: by two kernels, which move the transformed rows through the memory, or by one.
KernelKind::Write read_hadamard_quantize(const Config& config) {
  const std::uint64_t rows = read_size(config, "rows"), width = read_size(config, "width");
  if (!std::has_single_bit(width)) config.error("width", "expected a power of two");
  const DataType from = read_float(config), to = read_type(config, "to");
  const bool fused = config.boolean("one_call", true);
  return [=](KernelCost& cost) {
    const auto elements = static_cast<double>(rows * width);
    const VectorKernel transform = hadamard_kernel(elements, static_cast<double>(width), from),
                       quantize = quantize_kernel(elements, from, to);
    if (fused) {
      VectorKernel both = transform;
      both.written = quantize.written;
      both.ops.simple_fp32 += quantize.ops.simple_fp32;
      both.ops.convert += quantize.ops.convert;
      return vector_work(cost, both);
    }
    const std::uint32_t cores = cost.hardware().workers.count(CoreUnit::kVector);
    KernelWork work;
    work.program = {1, {{"cores", cores}}, {}, {"KERNELS"}};
    for (const VectorKernel& kernel : {transform, quantize}) {
      StreamTask task{.name = "kernels", .wait = cost.program().launch.queued};
      task.units = cores;
      task.job = cost.vector(kernel, cores);
      work.program.add(std::move(task));
    }
    return work;
  };
}

A3SIM_REGISTER(KernelKind, "block_quantize", "rows to FP8, MXFP8 or MXFP4, with their scales",
               KernelKind{read_block_quantize, {"rows", "width", "dtype", "to"}});
A3SIM_REGISTER(KernelKind, "hadamard", "a Walsh-Hadamard transform of rows",
               KernelKind{read_hadamard, {"rows", "width", "dtype"}});
A3SIM_REGISTER(KernelKind, "hadamard_quantize", "the same, then block_quantize, in one kernel or in two",
               KernelKind{read_hadamard_quantize, {"rows", "width", "dtype", "to", "one_call"}});

}  // namespace
}  // namespace a3sim
