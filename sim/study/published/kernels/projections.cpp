#include "sim/device/block_cost.h"
#include "sim/study/published/kernels/layer_kernel.h"

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
KernelWork latent_projections(const KernelCase& kernel_case, KernelCost& cost) {
  BlockLayout layout;
  layout.tp = 4;
  if (kernel_case.is("mode", "eager")) layout.fuse = {};
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

// Two linears are four operations, as the source says: for each, one brings its operand and one multiplies.
KernelWork two_linears(const KernelCase&, KernelCost&) {
  KernelWork work;
  work.launches = 4;
  return work;
}

A3SIM_REGISTER(LayerKernel, "latent_projections", "latent attention's projections, forward and backward",
               LayerKernel{latent_projections});
A3SIM_REGISTER(LayerKernel, "two_linears", "four operations", LayerKernel{two_linears});

}  // namespace
}  // namespace a3sim
