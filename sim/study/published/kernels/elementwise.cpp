#include "sim/study/published/kernels/layer_kernel.h"

// Kernels whose elements may come in any order.
namespace a3sim {
namespace {

VectorOps element_ops(double elements, double simple, double convert, double transcendental) {
  const auto all = [elements](double each) { return static_cast<std::uint64_t>(elements * each); };
  return {all(simple), all(convert), all(transcendental)};
}

// Works like the operator SwiGLU of taskflows.
KernelWork swi_glu(const KernelCase& kernel_case, KernelCost& cost) {
  const double results = static_cast<double>(kernel_case.number("rows") * kernel_case.number("width_in")) / 2;
  return vector_work(cost, {2 * results * kernel_case.element(), results * kernel_case.element(),
                            element_ops(results, 3, kernel_case.conversions(3), 2), 0, 0,
                            kernel_case.aligned(kernel_case.number("width_in") / 2)});
}

// Reads weight, gradient and both moments; writes all but the gradient. Computes decay, two running means,
// correction, root and quotient.
KernelWork adam(const KernelCase& kernel_case, KernelCost& cost) {
  const auto elements = static_cast<double>(kernel_case.number("elements"));
  return vector_work(cost, {4 * elements * kernel_case.element(), 3 * elements * kernel_case.element(),
                            element_ops(elements, 14, kernel_case.conversions(7), 2)});
}

// Moves rows, each with its scale if there are scales, into another order.
KernelWork re_routing(const KernelCase& kernel_case, KernelCost& cost) {
  const auto rows = static_cast<double>(kernel_case.number("rows"));
  const double bytes = rows * (static_cast<double>(kernel_case.number("width")) * kernel_case.element() + 4);
  return vector_work(cost, {bytes, bytes, {}});
}

// Rotates queries and keys, with small tables. Four small kernels spread the tables before it; each takes
// as long as a small elementwise kernel: 2.5 to 4.5 us (FlagGems, torch_npu's times).
KernelWork rotary_embedding(const KernelCase& kernel_case, KernelCost& cost) {
  const double elements = static_cast<double>(kernel_case.number("elements"));
  KernelWork work = vector_work(cost, {elements * kernel_case.element(), elements * kernel_case.element(),
                                       element_ops(elements, 3, kernel_case.conversions(2), 0)});
  constexpr Duration kSmallKernel{3'500'000};
  work.alone = 4 * kSmallKernel;
  return work;
}

A3SIM_REGISTER(LayerKernel, "swi_glu", "silu(gate) * up on the halves of a row", LayerKernel{swi_glu});
A3SIM_REGISTER(LayerKernel, "apply_adam_w", "a step of AdamW", LayerKernel{adam});
A3SIM_REGISTER(LayerKernel, "moe_re_routing", "rows in the experts' order", LayerKernel{re_routing});
A3SIM_REGISTER(LayerKernel, "apply_rotary_pos_emb", "RoPE of queries and keys",
               LayerKernel{rotary_embedding});

}  // namespace
}  // namespace a3sim
