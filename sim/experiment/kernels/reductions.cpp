#include "models/blocks/vector_operators.h"
#include "sim/experiment/kernels/kernel.h"

// Kernels that reduce rows one by one.
namespace a3sim {
namespace {

KernelKind::Write read_rms_norm(const Config& config) {
  const std::uint64_t rows = read_size(config, "rows"), width = read_size(config, "width");
  return [rows, width, type = Elements{read_float(config)}](KernelCost& cost) {
    const double elements = static_cast<double>(rows * width), bytes = elements * type.bytes();
    const ElementwiseKernel pass = norm_pass(static_cast<double>(width));
    return vector_work(cost,
                       {bytes, bytes, vector_ops(elements, pass.simple, type.conversions(pass.convert), 0),
                        pass.steps > 0 ? rows : 0, pass.steps, type.aligned(width)});
  };
}

// Computes a row's maximum, difference, exponential, sum and quotient. A sum or maximum over lanes takes
// three steps.
KernelKind::Write read_softmax(const Config& config) {
  const std::uint64_t rows = read_size(config, "rows"), width = read_size(config, "width");
  return [rows, width, type = Elements{read_float(config)}](KernelCost& cost) {
    constexpr std::uint32_t kSteps = 9;
    const double elements = static_cast<double>(rows * width), bytes = elements * type.bytes();
    return vector_work(cost, {bytes, bytes, vector_ops(elements, 3, type.conversions(2), 2), rows, kSteps,
                              type.aligned(width)});
  };
}

// Fetches each returned row by its number, scales it and adds it to those of its token. Also adds two rows
// per token, and a row of the expert's bias to each row.
KernelKind::Write read_finalize_routing(const Config& config) {
  const std::uint64_t rows = read_size(config, "rows_in"), tokens = read_size(config, "rows_out"),
                      width = read_size(config, "width");
  return [rows, tokens, width, type = Elements{read_float(config)}](KernelCost& cost) {
    constexpr std::uint32_t kSteps = 3;
    const double row = static_cast<double>(width) * type.bytes();
    const double elements = static_cast<double>((rows + 2 * tokens) * width);
    const auto converted = static_cast<std::uint32_t>(type.conversions(1));
    return vector_work(cost, {elements * type.bytes(), static_cast<double>(tokens) * row,
                              vector_ops(elements, 3, type.conversions(1), 0), rows, kSteps + converted});
  };
}

A3SIM_REGISTER(KernelKind, "rms_norm", "RMSNorm of rows",
               KernelKind{read_rms_norm, {"rows", "width", "dtype"}});
A3SIM_REGISTER(KernelKind, "softmax", "softmax of rows",
               KernelKind{read_softmax, {"rows", "width", "dtype"}});
A3SIM_REGISTER(KernelKind, "moe_finalize_routing", "rows of experts back in the tokens' order, and summed",
               KernelKind{read_finalize_routing, {"rows_in", "rows_out", "width", "dtype"}});

}  // namespace
}  // namespace a3sim
