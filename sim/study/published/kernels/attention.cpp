#include "sim/study/published/kernels/layer_kernel.h"

namespace a3sim {
namespace {

KernelWork work_of(const BlockAttention& attention, KernelCost& cost) {
  KernelWork work;
  work.job = cost.attention(attention, cost.hardware().workers.count(CoreUnit::kMatrix));
  work.flops = attention.flops();
  const double element = element_bytes(attention.dtype), samples = static_cast<double>(attention.samples);
  const double queries = samples * attention.heads * static_cast<double>(attention.queries),
               keys = samples * attention.kv_heads * static_cast<double>(attention.keys);
  const double in = (queries + keys) * attention.d_qk + keys * attention.d_v, out = queries * attention.d_v;
  work.read = element * (attention.backward ? in + 2 * out : in);
  work.written = element * (attention.backward ? in : out);
  return work;
}

// Attends with one head per sample, or more. Samples fill the given number of tokens.
KernelWork flash_attention(const KernelCase& kernel_case, KernelCost& cost) {
  const std::uint64_t length = kernel_case.number("length");
  const auto heads = static_cast<std::uint32_t>(kernel_case.number("heads")),
             width = static_cast<std::uint32_t>(kernel_case.number("head_dim"));
  BlockAttention attention{1,
                           heads,
                           heads,
                           width,
                           width,
                           length,
                           length,
                           kernel_case.is("mask", "causal"),
                           false,
                           1,
                           kernel_case.dtype()};
  attention.backward = kernel_case.is("pass", "backward");
  // FlashAttention-3's figures are for 16,384 tokens; the others for one sample.
  if (kernel_case.is("implementation", "cudnn")) attention.samples = 16384 / length;
  return work_of(attention, cost);
}

// An inference kernel that gets its mask as a tensor and thus goes through all keys.
KernelWork masked_attention(const KernelCase& kernel_case, KernelCost& cost) {
  const auto heads = static_cast<std::uint32_t>(kernel_case.number("heads")),
             kv_heads = static_cast<std::uint32_t>(kernel_case.number("kv_heads"));
  const auto latent = static_cast<std::uint32_t>(kernel_case.number("latent", 0));
  const auto d_v = latent > 0 ? latent : static_cast<std::uint32_t>(kernel_case.number("head_dim"));
  const auto d_qk = latent > 0 ? latent + static_cast<std::uint32_t>(kernel_case.number("rope")) : d_v;
  return work_of({kernel_case.number("batch"), heads, kv_heads, d_qk, d_v, kernel_case.number("length"),
                  kernel_case.number("kv_length"), false, false, 1, kernel_case.dtype()},
                 cost);
}

A3SIM_REGISTER(LayerKernel, "flash_attention", "attention as it is trained with",
               LayerKernel{flash_attention});
A3SIM_REGISTER(LayerKernel, "masked_attention", "attention whose mask is a tensor",
               LayerKernel{masked_attention});

}  // namespace
}  // namespace a3sim
