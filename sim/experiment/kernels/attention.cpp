#include "sim/experiment/kernels/kernel.h"

namespace a3sim {
namespace {

KernelWork attention_work(const BlockAttention& attention, KernelCost& cost) {
  KernelWork work;
  work.job = cost.attention(attention, cost.hardware().workers.count(CoreUnit::kMatrix));
  work.matrix = true;
  work.flops = attention.flops();
  const double element = element_bytes(attention.dtype), samples = static_cast<double>(attention.samples);
  const double queries = samples * attention.heads * static_cast<double>(attention.queries),
               keys = samples * attention.kv_heads * static_cast<double>(attention.keys);
  const double in = (queries + keys) * attention.d_qk + keys * attention.d_v, out = queries * attention.d_v;
  work.read = element * (attention.backward ? in + 2 * out : in);
  work.written = element * (attention.backward ? in : out);
  return work;
}

KernelKind::Write written(const BlockAttention& attention) {
  return [attention](KernelCost& cost) { return attention_work(attention, cost); };
}

KernelKind::Write read_flash_attention(const Config& config) {
  BlockAttention attention;
  attention.samples = static_cast<std::uint64_t>(config.integer("batch", 1, 1 << 30, 1));
  attention.heads = attention.kv_heads = read_count(config, "heads");
  attention.d_qk = attention.d_v = read_count(config, "head_dim");
  attention.queries = attention.keys = read_size(config, "length");
  attention.causal = config.choice("mask", {"none", "causal"}, "none") == 1;
  attention.backward = config.choice("pass", {"forward", "backward"}, "forward") == 1;
  attention.dtype = read_float(config);
  return written(attention);
}

// An inference kernel that gets its mask as a tensor and thus goes through all keys.
KernelKind::Write read_masked_attention(const Config& config) {
  BlockAttention attention;
  attention.samples = read_size(config, "batch");
  attention.heads = read_count(config, "heads");
  attention.kv_heads = read_count(config, "kv_heads");
  attention.queries = read_size(config, "length");
  attention.keys = read_size(config, "kv_length");
  attention.causal = false;
  if (config.has("latent")) {
    attention.d_v = read_count(config, "latent");
    attention.d_qk = attention.d_v + read_count(config, "rope");
    config.let_stand("head_dim");
  } else {
    attention.d_qk = attention.d_v = read_count(config, "head_dim");
    config.let_stand("rope");
  }
  attention.dtype = read_float(config);
  return written(attention);
}

A3SIM_REGISTER(KernelKind, "flash_attention", "attention as it is trained with",
               KernelKind{read_flash_attention,
                          {"batch", "heads", "head_dim", "length", "mask", "pass", "dtype"}});
A3SIM_REGISTER(KernelKind, "masked_attention", "attention whose mask is a tensor",
               KernelKind{read_masked_attention,
                          {"batch", "heads", "kv_heads", "length", "kv_length", "head_dim", "latent", "rope",
                           "dtype"}});

}  // namespace
}  // namespace a3sim
