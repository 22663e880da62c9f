#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/blocks/block_builder.h"
#include "sim/device/kernel_cost.h"
#include "sim/experiment/inference/inference_options.h"
#include "sim/experiment/step/collectives.h"
#include "sim/experiment/step/time_class.h"

namespace a3sim {

// A kernel, or an exchange, of a step of inference.
struct InferenceKernel {
  std::string name;
  TimeClass time_class{};
  bool matrix = false;  // runs on matrix units
  MemoryJob job{};      // alone on the cores that it gets; its time is what it takes alone
  Duration head{};      // from its start until its cores work
  Duration barriers{};  // meetings of its cores, and what an exchange takes in addition to its bytes
  double weights = 0;   // bytes of weights that it reads
  double cache = 0;     // bytes of keys and values that it reads
  double flops = 0;     // of products
  double by_hand = 0;   // picoseconds: its arithmetic at the peak of all cores
  bool holds_cores = true;
  std::vector<StreamTransfer> transfers{};
  bool whole =
      false;  // its time is that of a run that has its transfers in it; it holds all cores, so that none share ports with it

  Duration alone() const;
};

// Computes what kernels of inference cost on a machine, on the part of its cores that a stream has.
class InferenceCosts {
 public:
  // The experiment must outlive the object.
  InferenceCosts(const Experiment& experiment, const InferenceOptions& options);

  // Returns `times` products of the same m rows' length: m x k by weights k x n each.
  InferenceKernel product(std::string name, TimeClass time_class, std::uint64_t m, std::uint64_t n,
                          std::uint64_t k, WeightType type, std::uint64_t times = 1) const;
  // Returns the same by weights in fp32.
  InferenceKernel product_fp32(std::string name, std::uint64_t m, std::uint64_t n, std::uint64_t k) const;
  // Returns a kernel over rows of `width` elements.
  InferenceKernel vector(std::string name, double rows, double width, const ElementwiseKernel& pass) const;
  // Returns attention over `samples` sets of keys, each met by so many rows. Keys are split among cores where samples
  // and rows do not fill them. `gathered`: keys lie anywhere in the cache.
  InferenceKernel attention(std::string name, std::uint64_t samples, std::uint64_t rows, std::uint64_t keys,
                            std::uint32_t d_qk, std::uint32_t d_v, double cache, bool gathered) const;
  // Does the same over sets of unlike numbers of keys. Parts of keys are as long for all of them.
  InferenceKernel attention(std::string name, std::span<const std::uint64_t> keys, std::uint64_t rows,
                            std::uint32_t d_qk, std::uint32_t d_v, double cache, bool gathered) const;
  // Returns attention of prefill.
  InferenceKernel attention(std::string name, const BlockAttention& attention, double cache) const;
  // Returns the scores of each request's keys for its tokens, and the choice of the best.
  InferenceKernel index(std::string name, std::span<const std::uint64_t> keys,
                        std::uint64_t tokens_each) const;
  // Returns a small exchange in a group of dies.
  InferenceKernel collective(std::string name, TimeClass time_class, DieGroup group, double sent) const;
  // Returns kernels in one, whose cores meet between them.
  InferenceKernel in_one(std::string name, const std::vector<InferenceKernel>& kernels) const;

  const Hardware& hardware() const { return hardware_; }
  const InferenceOptions& options() const { return options_; }

 private:
  InferenceKernel decode_attention(std::string name, const BlockAttention& part, bool parts, double cache,
                                   bool gathered) const;
  // Returns attention with as many parts of the keys as `split` makes of them: the fewest that come within a hundredth of the
  // shortest time, with what parts cost.
  InferenceKernel split_attention(const std::string& name, std::uint64_t keys,
                                  const std::function<BlockAttention(std::uint64_t)>& split, double cache,
                                  bool gathered) const;
  InferenceKernel kernel(std::string name, TimeClass time_class, bool matrix) const;
  InferenceKernel product_of(InferenceKernel kernel, const BlockProduct& one, std::uint64_t times,
                             double weight_bytes) const;
  // Sets the time of its job to what it takes alone.
  void settle(InferenceKernel& kernel) const;
  double peak(DataType type) const;
  std::uint32_t cores(CoreUnit unit) const { return hardware_.workers.count(unit); }

  const Program& program_;
  InferenceOptions options_;
  Hardware whole_, hardware_;  // the machine, and the part of its cores that a stream has
};

}  // namespace a3sim
