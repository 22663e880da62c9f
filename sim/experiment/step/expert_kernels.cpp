#include "sim/experiment/step/expert_kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/blocks/fp8_casts.h"
#include "sim/core/error.h"
#include "sim/core/whole_time.h"
#include "sim/device/block_cost.h"
#include "sim/experiment/step/busiest_rank.h"
#include "sim/experiment/step/collectives.h"

namespace a3sim {
namespace {

// Returns the part of tokens that choose at least one of `some` of `all` experts, if they choose `top_k`
// different ones.
double chosen_by(double all, double some, std::uint32_t top_k) {
  double none = 1;
  for (std::uint32_t k = 0; k < top_k; ++k) none *= std::max(0.0, all - some - k) / (all - k);
  return 1 - none;
}

class ExpertKernels {
 public:
  ExpertKernels(const Experiment& experiment, const StepOptions& step, const BlockExperts& experts,
                double part)
      : experiment_(experiment),
        step_(step),
        experts_(experts),
        hardware_(sustained(experiment.hardware)),
        operands_(step.fp8 == Fp8Recipe::kNone ? DataType::kBf16 : operand_type(step.fp8)),
        cost_(hardware_, experiment.program, tiling_for(experiment.cut.tiling, operands_)),
        local_(experts.experts / step.ep),
        rows_(local_,
              static_cast<std::uint32_t>(static_cast<double>(experts.tokens * experts.top_k) / local_)),
        part_(part) {
    if (std::optional<BusiestRank> busiest = busiest_rank(experiment)) {
      rows_ = std::move(busiest->rows);
      busiest_ = busiest->over_mean;
    }
    for (std::uint32_t& rows : rows_) rows *= step.etp;
  }

  ExpertTimes times() {
    ExpertTimes times;
    const Program::Bulk& bulk = *experiment_.program.bulk;
    // Rows, and the gradients of their sums, come to experts in the type that these multiply; results go back in the model's.
    const double in = step_.fp8_dispatch ? element_bytes(operands_) : element();
    times.forward = {
        exchange(bulk.dispatch, in), exchange(bulk.combine, element()), forward(), {}, false, {}, 0};
    times.backward = {
        exchange(bulk.combine, in), exchange(bulk.dispatch, element()), backward(), weights(), false, {}, 0};
    for (ExpertPass* const pass : {&times.forward, &times.backward}) {
      pass->alone = pass->in.alone() + pass->out.alone() + pass->experts.alone() + pass->weights.alone();
      for (const ExchangeWork* const way : {&pass->in, &pass->out})
        for (const StreamTransfer& transfer : way->transfers)
          pass->sent += static_cast<double>(transfer.bytes.count);
      pass->busiest = busiest_;
      add_etp_exchanges(step_, experts_, *pass);
    }
    return times;
  }

 private:
  double rows() const { return std::accumulate(rows_.begin(), rows_.end(), 0.0); }
  double element() const { return element_bytes(experts_.dtype); }
  std::uint32_t columns() const { return (experts_.intermediate + step_.etp - 1) / step_.etp; }
  std::uint32_t matrix_workers() const { return experiment_.workers.count(CoreUnit::kMatrix); }
  std::uint32_t vector_workers() const { return experiment_.workers.count(CoreUnit::kVector); }

  // Returns an exchange of rows with so many bytes per element, by kernels of this rate.
  ExchangeWork exchange(BytesPerSecond rate, double bytes) const {
    const Program::Bulk& bulk = *experiment_.program.bulk;
    const DieGroup group{step_.ep, std::max(1U, experiment_.parallel.tp_stride)};
    const double all = experts_.experts,
                 row = bytes * experts_.hidden * static_cast<double>(experts_.tokens) * busiest_ * part_;
    const double to_peer = row * (bulk.once_a_rank ? chosen_by(all, local_, experts_.top_k)
                                                   : static_cast<double>(experts_.top_k) / step_.ep);
    const std::uint32_t near = levels_of(hardware_.fabric, group).members.front();
    const double to_unit = row * chosen_by(all, 1.0 * local_ * near, experts_.top_k);
    const double once = bulk.once_a_rank ? std::min(1.0, to_unit / (to_peer * near)) : 1;
    ExchangeWork work;
    work.hold = bulk.fixed + experiment_.program.launch.queued;
    work.transfers = exchange_transfers(hardware_.fabric, group, to_peer, once, {});
    // However fast a port is, the kernel sends no faster.
    for (StreamTransfer& transfer : work.transfers) transfer.rate = std::min(transfer.rate, rate);
    work.job.ideal = Duration(whole_picoseconds(to_peer * step_.ep / static_cast<double>(rate.count) * 1e12));
    const double own = to_peer;
    work.job.bytes = {own, own, hardware_.memory.as_reads(own, own)};
    return work;
  }

  void add_kernel(MemoryJob job, TimeClass kind, std::uint32_t launches, PartWork& part) const {
    settle(job, hardware_);
    part.add(job, kind);
    const Duration gap = experiment_.program.launch.queued + step_.unlisted;
    part.hold += gap;
    at(part.classes, TimeClass::kRest) += gap;
    part.launches += launches;
    ++part.calls;
  }
  void add_products(std::uint32_t n, std::uint32_t k, PartWork& part) {
    add_kernel(cost_.products(rows_, n, k, matrix_workers(), 0, operands_), TimeClass::kGrouped, local_,
               part);
  }
  // Adds a vector kernel that reads and writes so many bytes.
  void add_vector(double read, double written, double ops, PartWork& part) {
    const auto count = static_cast<std::uint64_t>(ops);
    add_kernel(cost_.vector({read, written, {count, count, 0}}, vector_workers()), TimeClass::kVector, 1,
               part);
  }
  // Adds the kernels that make rows of this width operands of eight bits, within the operation that launches their products.
  // `there`: the copy by rows has arrived.
  void add_casts(std::uint32_t width, bool there, PartWork& part) {
    if (step_.fp8 == Fp8Recipe::kNone) return;
    const ElementwiseKernel turn = turn_pass(step_.fp8);
    for (const ElementwiseKernel& pass : there ? std::span(&turn, 1) : cast_passes(step_.fp8)) {
      const double elements = rows() * width;
      const auto count = [&](double each) { return static_cast<std::uint64_t>(each * elements); };
      add_kernel(
          cost_.vector(
              {pass.read * elements, pass.written * elements, {count(pass.simple), count(pass.convert), 0}},
              vector_workers()),
          TimeClass::kVector, 1, part);
      --part.calls;
    }
  }
  // Adds the kernels that put rows in another order, before or after the experts.
  void add_permute(bool before, PartWork& part) {
    const double each = before && step_.fp8_dispatch ? element_bytes(operands_) : element();
    const double bytes = rows() * experts_.hidden * each;
    add_vector(bytes, bytes, 0, part);
    // Masks, indices and chunks are small: each operation takes a gap, and the host's time.
    const Duration gaps = (experiment_.program.launch.queued + step_.unlisted) * step_.permute_calls;
    part.hold += gaps;
    at(part.classes, TimeClass::kRest) += gaps;
    part.launches += step_.permute_calls;
    part.calls += step_.permute_calls;
    if (experiment_.program.bulk->once_a_rank) return;
    // A token that is sent once per expert is copied before it leaves, and its rows are summed once they are back.
    const double tokens = static_cast<double>(experts_.tokens) * experts_.hidden * each;
    const double copies = tokens * experts_.top_k;
    add_vector(before ? tokens : copies, before ? copies : tokens, 0, part);
  }

  PartWork forward() {
    PartWork part;
    const std::uint32_t h = experts_.hidden, f = columns();
    add_permute(true, part);
    const std::uint32_t first = experts_.first_columns();
    add_casts(h, step_.fp8_dispatch, part);
    add_products(first * f, h, part);
    add_vector(rows() * first * f * element(), rows() * f * element(), (first + 1) * rows() * f, part);
    add_casts(f, false, part);
    add_products(h, f, part);
    add_permute(false, part);
    return part;
  }
  PartWork backward() {
    PartWork part;
    const std::uint32_t h = experts_.hidden, f = columns();
    add_permute(true, part);
    add_casts(h, step_.fp8_dispatch, part);
    add_products(f, h, part);
    const std::uint32_t first = experts_.first_columns();
    add_vector(rows() * (first + 1) * f * element(), rows() * first * f * element(), 3 * first * rows() * f,
               part);
    add_casts(first * f, false, part);
    add_products(h, first * f, part);
    add_permute(false, part);
    return part;
  }
  // Gradients are added to fp32 sums, which are read and written.
  PartWork weights() {
    PartWork part;
    const std::uint32_t h = experts_.hidden, f = columns();
    for (const auto& [n, k] : {std::pair{h, f}, std::pair{experts_.first_columns() * f, h}}) {
      MemoryJob job = cost_.gradients(rows_, n, k, matrix_workers(), 0, operands_);
      const double more = 1.0 * local_ * n * k, sums = 4;
      job.bytes[static_cast<std::size_t>(Resource::kHbm)] +=
          hardware_.memory.as_reads(more * sums, more * (sums - element()));
      add_kernel(job, TimeClass::kGrouped, local_, part);
    }
    return part;
  }

  const Experiment& experiment_;
  const StepOptions& step_;
  const BlockExperts& experts_;
  Hardware hardware_;
  DataType operands_;  // of products
  KernelCost cost_;
  std::uint32_t local_;
  std::vector<std::uint32_t> rows_;  // one entry per local expert
  double busiest_ = 1;               // its rows, over the mean of ranks
  double part_;                      // rows that experts compute, over those that tokens choose
};

}  // namespace

ExpertTimes expert_kernels(const Experiment& experiment, const StepOptions& step,
                           const BlockExperts& experts) {
  if (!experiment.program.bulk) {
    throw InputError(experiment.name +
                     ": step.exchange=streams needs program.bulk, kernels that dispatch and combine: include "
                     "programs/feplb.yaml "
                     "or programs/feplb_a3.yaml");
  }
  Experiment limited = experiment;
  const RowLimit limit = limit_rows(step, experts, limited);
  ExpertTimes times = ExpertKernels(limited, step, experts, limit.part).times();
  times.limit = limit;
  return times;
}

}  // namespace a3sim
