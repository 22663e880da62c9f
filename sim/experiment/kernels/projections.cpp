#include "sim/device/block_cost.h"
#include "sim/experiment/kernels/kernel.h"

// Operators of a layer, launched one by one.
namespace a3sim {
namespace {

ModelShape deepseek_v3_layer() {
  ModelShape model;
  model.hidden = 7168;
  model.attention = {128, 128, 192, 128, false, ModelShape::Attention::Latent{1536, 512, 64}};
  model.dense_intermediate = 18432;
  return model;
}

// True if the kernel belongs to the projections of latent attention, their norms, RoPE, or what joins the
// heads.
bool is_projection(const std::string& name) {
  for (const char* prefix : {"q_", "kv_", "rope", "join_keys", "attention.output"})
    if (name.starts_with(prefix)) return true;
  return false;
}

// Runs forward and backward of one micro-batch, assumed to be one sample of 4,096 on 4 dies (TP). Eager
// operators are not fused.
KernelWork latent_projections(bool fused, KernelCost& cost) {
  BlockLayout layout;
  layout.tp = 4;
  if (!fused) layout.fuse = {};
  const ModelShape model = deepseek_v3_layer();
  const Block block = BlockKinds::get("dense").block(model, layout);
  KernelWork work;
  work.launches = 0;
  for (const auto* kernels : {&block.forward, &block.activation_gradient, &block.weight_gradient}) {
    for (const BlockKernel& kernel : *kernels) {
      if (!is_projection(kernel.name) || kernel.work_class == WorkClass::kCollective) continue;
      work.alone += time_alone(block_kernel_cost(kernel, cost), cost.hardware());
      // A product is two operations, as in a linear: one brings its operand, one multiplies.
      work.launches += kernel.work_class == WorkClass::kProducts ? 2 : 1;
      if (const auto* product = std::get_if<BlockProduct>(&kernel.work)) work.flops += product->flops();
      if (const auto* vector = std::get_if<BlockVector>(&kernel.work)) {
        work.read += vector->read;
        work.written += vector->written;
      }
    }
  }
  return work;
}

KernelKind::Write read_latent_projections(const Config& config) {
  return
      [fused = config.boolean("fused", true)](KernelCost& cost) { return latent_projections(fused, cost); };
}

// Two linears are four operations, as the source says: for each, one brings its operand and one multiplies.
KernelKind::Write read_two_linears(const Config&) {
  return [](KernelCost&) {
    KernelWork work;
    work.launches = 4;
    return work;
  };
}

A3SIM_REGISTER(KernelKind, "latent_projections", "latent attention's projections, forward and backward",
               KernelKind{read_latent_projections, {"fused"}});
A3SIM_REGISTER(KernelKind, "two_linears", "four operations", KernelKind{read_two_linears, {}});

}  // namespace
}  // namespace a3sim
