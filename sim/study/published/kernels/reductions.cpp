#include "models/blocks/vector_operators.h"
#include "sim/study/published/kernels/layer_kernel.h"

// Kernels that reduce rows one by one.
namespace a3sim {
namespace {

VectorOps row_ops(double elements, double simple, double convert, double transcendental) {
  const auto all = [elements](double each) { return static_cast<std::uint64_t>(elements * each); };
  return {all(simple), all(convert), all(transcendental)};
}

KernelWork rms_norm(const KernelCase& kernel_case, KernelCost& cost) {
  const std::uint64_t rows = kernel_case.number("rows"), width = kernel_case.number("width");
  const double elements = static_cast<double>(rows * width), bytes = elements * kernel_case.element();
  const VectorPass pass = norm_pass(static_cast<double>(width));
  return vector_work(cost,
                     {bytes, bytes, row_ops(elements, pass.simple, kernel_case.conversions(pass.convert), 0),
                      pass.steps > 0 ? rows : 0, pass.steps, kernel_case.aligned(width)});
}

// Computes a row's maximum, difference, exponential, sum and quotient. A sum or maximum over lanes takes
// three steps.
KernelWork softmax(const KernelCase& kernel_case, KernelCost& cost) {
  constexpr std::uint32_t kSteps = 9;
  const std::uint64_t rows = kernel_case.number("rows"), width = kernel_case.number("width");
  const double elements = static_cast<double>(rows * width), bytes = elements * kernel_case.element();
  return vector_work(cost, {bytes, bytes, row_ops(elements, 3, kernel_case.conversions(2), 2), rows, kSteps,
                            kernel_case.aligned(width)});
}

// Fetches each returned row by its number, scales it and adds it to those of its token. Also adds two rows
// per token, and a row of the expert's bias to each row.
KernelWork finalize_routing(const KernelCase& kernel_case, KernelCost& cost) {
  constexpr std::uint32_t kSteps = 3;
  const std::uint64_t rows = kernel_case.number("rows_in"), tokens = kernel_case.number("rows_out"),
                      width = kernel_case.number("width");
  const double row = static_cast<double>(width) * kernel_case.element();
  const double elements = static_cast<double>((rows + 2 * tokens) * width);
  const auto converted = static_cast<std::uint32_t>(kernel_case.conversions(1));
  return vector_work(cost, {elements * kernel_case.element(), static_cast<double>(tokens) * row,
                            row_ops(elements, 3, kernel_case.conversions(1), 0), rows, kSteps + converted});
}

A3SIM_REGISTER(LayerKernel, "rms_norm", "RMSNorm of rows", LayerKernel{rms_norm});
A3SIM_REGISTER(LayerKernel, "softmax", "softmax of rows", LayerKernel{softmax});
A3SIM_REGISTER(LayerKernel, "moe_finalize_routing", "rows of experts back in the tokens' order, and summed",
               LayerKernel{finalize_routing});

}  // namespace
}  // namespace a3sim
