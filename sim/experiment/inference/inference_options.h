#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/blocks/model_shape.h"
#include "sim/core/config/config.h"
#include "sim/core/enum_names.h"
#include "sim/core/units.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/work.h"

namespace a3sim {

enum class InferencePhase : std::uint8_t { kDecode, kPrefill };
constexpr auto names_of(InferencePhase) { return std::to_array<std::string_view>({"decode", "prefill"}); }

// The types of weights and of what they are multiplied with.
enum class WeightType : std::uint8_t { kBf16, kW8A8, kW4A8 };
constexpr auto names_of(WeightType) { return std::to_array<std::string_view>({"bf16", "w8a8", "w4a8"}); }
constexpr double weight_bytes(WeightType type) {
  return type == WeightType::kBf16 ? 2 : type == WeightType::kW8A8 ? 1 : 0.5;
}

// Says what brings rows to experts and multiplies them there.
enum class ExpertKernels : std::uint8_t {
  kSeparate,  // Dispatch, products and Combine, as the experiment's execution has them
  kMegaMoe    // one kernel (workloads/mega_moe.cpp)
};
constexpr auto names_of(ExpertKernels) { return std::to_array<std::string_view>({"separate", "mega_moe"}); }

// Says who starts kernels.
enum class LaunchedBy : std::uint8_t { kGraph, kHost };
constexpr auto names_of(LaunchedBy) { return std::to_array<std::string_view>({"graph", "eager"}); }

// Sparse attention: an indexer scores all keys, and attention reads the best ones.
struct SparseIndex {
  std::uint32_t heads = 0, width = 0;  // of the indexer's queries
  std::uint32_t top_k = 0;             // keys that each token attends to
};

// One step of inference of a whole model: the keys tp and cp of the block `parallel`, and the block `inference`.
struct InferenceOptions {
  InferencePhase phase{};
  std::uint32_t tp = 1, cp = 1,
                ep = 1;  // ep: all dies that share the experts; attention is data-parallel over them
  std::uint32_t attention_dies = 0;  // dies of attention apart from those of experts; 0: the same dies
  std::uint64_t batch = 1;           // requests of a rank: of the dies of a TP and CP group
  std::uint64_t context =
      4096;            // tokens of a request: those in its cache (decode), or that it brings (prefill)
  double longest = 1;  // tokens in the cache of the busiest rank, over the mean
  std::vector<std::uint64_t> lengths{};  // of its requests, the longest first; empty: all have as many tokens
  std::uint32_t drafts = 0;              // tokens that MTP predicts in addition to one
  double accepted = 0;                   // of the drafts, per step
  std::uint32_t micro_batches = 1;       // parts of the batch, each in streams of its own
  double core_share = 1;                 // part of the cores that the kernels of a micro-batch run on
  bool shared_beside = true;             // shared experts run beside dispatch
  bool fused = true;                     // operators that CANN offers as one kernel are one
  std::uint32_t redundant = 0;           // experts that are held twice, of a layer, over all dies
  std::uint32_t idle = 0;                // ranks without requests
  bool padded = true;                    // these send as many rows as others
  std::uint32_t dense_tp = 1, head_tp = 1;  // dies that share a dense feed-forward network, and the head

  WeightType weights{}, experts{};  // of attention and dense networks, and of routed and shared experts
  ExpertKernels experts_by{};
  double cache_bytes = 2;        // of an element in the cache
  double index_cache_bytes = 2;  // of an element of the indexer's keys
  std::optional<SparseIndex> index{};

  LaunchedBy launched{};
  struct Launch {
    Duration head{};  // from a kernel's start until its cores work
    Duration gap{};   // from a kernel's end to the next one's start in a graph
    Duration host{};  // of the host, a kernel
  } launch;
  double interference = 1;  // factor on kernels' time beside an exchange of the host
  Duration collective{};    // a small exchange inside a TP or CP group, without its bytes and signals
  BytesPerSecond gather{};  // rate of rows that are read, and written, from anywhere in the memory
  Bytes capacity{};         // memory of a die
  double reserved = 0;      // part of it that the runtime and the framework keep
  bool over_capacity = false;

  // Tokens that each request brings to a step.
  std::uint64_t tokens_a_request() const { return phase == InferencePhase::kPrefill ? context : 1 + drafts; }
  // Tokens of a rank in a step, in a micro-batch, and of a die there.
  std::uint64_t tokens() const { return batch * tokens_a_request(); }
  std::uint64_t micro_requests() const {
    return std::max<std::uint64_t>(1, (batch + micro_batches - 1) / micro_batches);
  }
  std::uint64_t micro_tokens() const {
    const std::uint64_t all = micro_requests() * tokens_a_request();
    return phase == InferencePhase::kPrefill ? (all + cp - 1) / cp : all;
  }
  std::uint64_t own_tokens() const { return (micro_tokens() + tp - 1) / tp; }
  // Dies that run attention, and their data-parallel ranks.
  std::uint32_t attention() const { return attention_dies > 0 ? attention_dies : ep; }
  std::uint32_t dies() const { return attention_dies + ep; }
  std::uint32_t ranks() const { return attention() / (tp * cp); }
  double busy_ranks() const { return ranks() - std::min(idle, ranks()); }
  // Tokens that a step leaves for each of its requests.
  double outputs() const { return phase == InferencePhase::kPrefill ? 1 : 1 + accepted; }
};

// A model and how it is run.
struct InferencePlan {
  InferenceOptions options;
  ModelShape model;
};

// The work of such an experiment.
class InferenceWork : public ExperimentWork {
 public:
  virtual const InferencePlan& plan() const = 0;
};
// Returns the plan of an experiment. Throws InputError if its workload is another one.
const InferencePlan& inference_plan_of(const Experiment& experiment);

// Reads the block `inference` with tp, cp and ep. Leaves the other keys of `parallel` alone.
InferenceOptions read_inference_options(const Config& root, const Hardware& hardware);
// Notes what does not fit the model: heads, experts, a phase that it has no kernels for.
void check_inference(const Config& root, const InferencePlan& plan);

}  // namespace a3sim
