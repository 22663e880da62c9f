#pragma once

#include <string>
#include <vector>

#include "sim/experiment/inference/expert_visit.h"

namespace a3sim {

// The kernels of a layer that follow one another, and those that may run beside one another then: what goes to the experts
// and back, and what does not need their results.
struct LayerKernels {
  std::string block;  // kind of the layer
  std::vector<InferenceKernel> before;
  std::vector<InferenceKernel> beside;  // shared experts; or all that a layer computes meanwhile
  std::vector<InferenceKernel> dispatch, experts, combine;  // empty: a layer without experts
  std::vector<InferenceKernel> behind;                      // behind both
  bool needs_beside = false;  // `beside` is not the shared experts alone: it always runs beside the experts
};

// Writes the kernels of the layers of a model as one die launches them for a micro-batch.
class LayerWriter {
 public:
  // All must outlive the object. `rows` may be null for a model without experts.
  LayerWriter(const InferencePlan& plan, const InferenceCosts& costs, const ExpertVisit* rows)
      : options_(plan.options), model_(plan.model), costs_(costs), rows_(rows) {}

  // Returns the kernels of a block by its kind, as `layers` of a model names it.
  LayerKernels layer(const std::string& block) const;

 private:
  using Kernels = std::vector<InferenceKernel>;

  double tokens() const { return static_cast<double>(options_.micro_tokens()); }
  double own() const { return static_cast<double>(options_.own_tokens()); }
  bool quantised() const { return options_.weights != WeightType::kBf16; }
  std::uint32_t heads() const { return std::max(1U, model_.attention.heads / options_.tp); }
  std::uint32_t kv_heads() const { return std::max(1U, model_.attention.kv_heads / options_.tp); }
  InferenceKernel product(const char* name, double m, double n, double k, WeightType type,
                          double times = 1) const;

  void add_norm(Kernels& kernels, const char* name, double rows, double width, bool quantise) const;
  void add_exchange(Kernels& kernels, const char* name, std::uint32_t group, std::uint32_t stride,
                    double bytes, TimeClass time_class) const;
  void add_in_one(Kernels& kernels, const char* name, const Kernels& parts) const;
  void add_attention(Kernels& kernels) const;
  void add_latent(Kernels& kernels) const;
  void add_latent_keys(Kernels& kernels, std::uint32_t d_qk, std::uint32_t d_v) const;
  void add_latent_prefill(Kernels& kernels) const;
  void add_heads(Kernels& kernels) const;
  void add_index(Kernels& kernels) const;
  void add_feed_forward(Kernels& kernels, const char* name, std::uint32_t width, std::uint32_t tp,
                        WeightType type) const;
  void add_router(Kernels& kernels) const;
  void add_experts(LayerKernels& layer) const;
  void add_head(Kernels& kernels) const;

  const InferenceOptions& options_;
  const ModelShape& model_;
  const InferenceCosts& costs_;
  const ExpertVisit* rows_;
};

}  // namespace a3sim
