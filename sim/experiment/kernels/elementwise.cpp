#include "sim/experiment/kernels/kernel.h"

// Kernels whose elements may come in any order.
namespace a3sim {
namespace {

// Works like the operator SwiGLU of taskflows.
KernelKind::Write read_swi_glu(const Config& config) {
  const std::uint64_t rows = read_size(config, "rows"), width = read_size(config, "width_in");
  return [rows, width, type = Elements{read_float(config)}](KernelCost& cost) {
    const double results = static_cast<double>(rows * width) / 2;
    return vector_work(cost, {2 * results * type.bytes(), results * type.bytes(),
                              vector_ops(results, 3, type.conversions(3), 2), 0, 0, type.aligned(width / 2)});
  };
}

// Reads weight, gradient and both moments; writes all but the gradient. Computes decay, two running means,
// correction, root and quotient.
KernelKind::Write read_adam(const Config& config) {
  const auto elements = static_cast<double>(read_size(config, "elements"));
  return [elements, type = Elements{read_float(config)}](KernelCost& cost) {
    return vector_work(cost, {4 * elements * type.bytes(), 3 * elements * type.bytes(),
                              vector_ops(elements, 14, type.conversions(7), 2)});
  };
}

// Moves rows, each with its scale if there are scales, into another order.
KernelKind::Write read_re_routing(const Config& config) {
  const auto rows = static_cast<double>(read_size(config, "rows")),
             width = static_cast<double>(read_size(config, "width"));
  return [rows, width, type = Elements{read_float(config)}](KernelCost& cost) {
    const double bytes = rows * (width * type.bytes() + 4);
    return vector_work(cost, {bytes, bytes, {}});
  };
}

// Rotates queries and keys, with small tables. Four small kernels spread the tables before it; each takes
// as long as a small elementwise kernel: 2.5 to 4.5 us (FlagGems, torch_npu's times).
KernelKind::Write read_rotary_embedding(const Config& config) {
  const auto elements = static_cast<double>(read_size(config, "elements"));
  return [elements, type = Elements{read_float(config)}](KernelCost& cost) {
    KernelWork work = vector_work(cost, {elements * type.bytes(), elements * type.bytes(),
                                         vector_ops(elements, 3, type.conversions(2), 0)});
    constexpr Duration kSmallKernel{3'500'000};
    work.alone = 4 * kSmallKernel;
    return work;
  };
}

// Bytes from one place of the device's memory to another.
KernelKind::Write read_local_copy(const Config& config) {
  const auto bytes = static_cast<double>(read_size(config, "bytes"));
  return [bytes](KernelCost& cost) {
    KernelWork work = vector_work(cost, {bytes, bytes, {}});
    work.launches = 0;  // benchmarks of memory time many in a row
    return work;
  };
}

A3SIM_REGISTER(KernelKind, "swi_glu", "silu(gate) * up on the halves of a row",
               KernelKind{read_swi_glu, {"rows", "width_in", "dtype"}});
A3SIM_REGISTER(KernelKind, "apply_adam_w", "a step of AdamW", KernelKind{read_adam, {"elements", "dtype"}});
A3SIM_REGISTER(KernelKind, "moe_re_routing", "rows in the experts' order",
               KernelKind{read_re_routing, {"rows", "width", "dtype"}});
A3SIM_REGISTER(KernelKind, "apply_rotary_pos_emb", "RoPE of queries and keys",
               KernelKind{read_rotary_embedding, {"elements", "dtype"}});
A3SIM_REGISTER(KernelKind, "local_copy", "a copy within the device's memory",
               KernelKind{read_local_copy, {"bytes"}});

}  // namespace
}  // namespace a3sim
