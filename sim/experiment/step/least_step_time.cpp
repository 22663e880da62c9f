#include "sim/experiment/step/least_step_time.h"

#include <algorithm>
#include <optional>

#include "sim/core/whole_time.h"
#include "sim/experiment/step/collectives.h"
#include "sim/experiment/step/training_step.h"

namespace a3sim {
namespace {

// The least time of a stage's pass of a micro-batch. Kernels of all passes follow one another on the compute stream; an
// exchange before the first kernel, or behind the last, may run beside the pass before or after.
class PassTime {
 public:
  // `follows`: every kernel waits for what was added before. Otherwise only the sum of kernels counts.
  void kernel(Duration time, bool follows = true) {
    kernels_ += time;
    if (!follows || time == Duration::zero()) return;
    span_ += time + (begun_ ? tail_ : Duration::zero());
    begun_ = true;
    tail_ = {};
  }
  void wait(Duration time) { (begun_ ? tail_ : lead_) += time; }
  // Adds an exchange and a kernel that begin together, and that all that follows waits for.
  void beside(Duration exchange, Duration kernel_time) {
    const bool first = !begun_;
    kernel(kernel_time);
    if (!begun_)
      wait(exchange);
    else if (!first)
      wait(std::max(Duration::zero(), exchange - kernel_time));
  }

  Duration lead() const { return lead_; }        // exchanges before the first kernel
  Duration span() const { return span_; }        // from the start of the first kernel to the end of the last
  Duration tail() const { return tail_; }        // exchanges behind the last kernel
  Duration kernels() const { return kernels_; }  // sum of all kernels

 private:
  Duration lead_{}, span_{}, tail_{}, kernels_{};
  bool begun_ = false;
};

// The least times of a layer's experts, of all draws of the routing.
struct LeastExperts {
  Duration in = Duration::max(), experts = in, weights = in, out = in;
  void take(const ExpertPass& pass, Duration tp) {
    in = std::min(in, pass.in.alone());
    experts = std::min(experts, tp + pass.experts.alone());
    weights = std::min(weights, pass.weights.alone());
    out = std::min(out, pass.out.alone());
  }
};

class LeastTimes {
 public:
  LeastTimes(const Experiment& experiment, const PreparedStep& prepared)
      : experiment_(experiment), prepared_(prepared), step_(prepared.plan.step) {}

  // `paired`: beside the pass of another micro-batch, whose kernels come between its own.
  PassTime of(const StageWork& work, bool paired) const {
    PassTime time;
    const std::vector<std::uint32_t>& chunk = prepared_.layout.chunks[work.chunk];
    if (!work.backward() && work.kind != StageWork::Kind::kWeightGradient) {
      for (const std::uint32_t block : chunk) forward(prepared_.blocks[block], paired, time);
      return time;
    }
    for (std::size_t b = chunk.size(); b-- > 0;) {
      const BlockTimes& block = prepared_.blocks[chunk[b]];
      if (work.kind == StageWork::Kind::kWeightGradient)
        weights(block, time);
      else
        backward(block, work.kind == StageWork::Kind::kActivationGradient, paired, time);
    }
    return time;
  }

 private:
  // Returns the time of an exchange of TP ranks that a part's kernels wait for.
  Duration tensor_exchange(const PartWork& part, bool experts) const {
    if (part.tp_sent <= 0 || (step_.tp_pipelined && !experts)) return {};
    const Hardware::Fabric& fabric = experiment_.hardware.fabric;
    ExchangeWork exchange;
    const DieGroup group{experts ? step_.etp : step_.tp, 1};
    exchange.hold = (experiment_.program.launch.queued + ring_latency(fabric, group)) *
                    static_cast<std::int64_t>(part.tp_calls);
    exchange.transfers = ring_transfers(fabric, group, part.tp_sent, RankId{0});
    return exchange.alone();
  }
  void add(const PartWorks& works, BlockPart kind, PassTime& time, bool follows = true) const {
    const PartWork& part = at(works, kind);
    if (part.empty()) return;
    if (follows) time.wait(tensor_exchange(part, false));
    time.kernel(part.alone(), follows);
  }
  LeastExperts experts(const BlockTimes& block, bool forward) const {
    LeastExperts least;
    for (const ExpertTimes& drawn : block.experts) {
      const ExpertPass& pass = forward ? drawn.forward : drawn.backward;
      least.take(pass, tensor_exchange(pass.experts, true));
    }
    return least;
  }

  void forward(const BlockTimes& block, bool paired, PassTime& time) const {
    add(block.forward, BlockPart::kAttention, time);
    if (block.experts.empty()) {
      add(block.forward, BlockPart::kShared, time);
      return add(block.forward, BlockPart::kExperts, time);
    }
    const LeastExperts pass = experts(block, true);
    if (step_.overlap == EpOverlap::kNone || paired) {
      add(block.forward, BlockPart::kShared, time, !paired);
      time.wait(pass.in);
    } else {
      time.beside(pass.in, at(block.forward, BlockPart::kShared).alone());
    }
    time.kernel(pass.experts);
    time.wait(pass.out);
  }

  void again(const BlockTimes& block, PassTime& time) const {
    for (const BlockPart part : {BlockPart::kAttention, BlockPart::kShared, BlockPart::kExperts})
      add(block.again, part, time);
    if (block.experts.empty() || !block.experts_again) return;
    const LeastExperts pass = experts(block, true);
    time.wait(pass.in);
    time.kernel(pass.experts);
    time.wait(pass.out);
  }

  void backward(const BlockTimes& block, bool split, bool paired, PassTime& time) const {
    again(block, time);
    const auto gradients = [&](BlockPart part, bool follows = true) {
      add(block.activation, part, time, follows);
      if (!split) add(block.weights, part, time, follows);
    };
    if (block.experts.empty()) {
      gradients(BlockPart::kShared);
      gradients(BlockPart::kExperts);
      return gradients(BlockPart::kAttention);
    }
    const LeastExperts pass = experts(block, false);
    const Duration own_weights = split ? Duration::zero() : pass.weights;
    const bool serial = step_.overlap == EpOverlap::kNone && !paired;
    time.wait(pass.in);
    if (!serial) gradients(BlockPart::kShared, false);
    time.kernel(pass.experts);
    if (serial || paired) {
      time.kernel(own_weights, serial);
      time.wait(pass.out);
    } else {
      time.beside(pass.out, own_weights);
    }
    if (serial) gradients(BlockPart::kShared);
    gradients(BlockPart::kAttention);
  }

  void weights(const BlockTimes& block, PassTime& time) const {
    if (!block.experts.empty()) time.kernel(experts(block, false).weights);
    for (const BlockPart part : {BlockPart::kExperts, BlockPart::kShared, BlockPart::kAttention})
      time.kernel(at(block.weights, part).alone());
  }

  const Experiment& experiment_;
  const PreparedStep& prepared_;
  const StepOptions& step_;
};

// Walks the orders of all stages with least times.
class LeastWalk {
 public:
  LeastWalk(const PreparedStep& prepared, const LeastTimes& times)
      : shape_(prepared.layout.shape),
        orders_(prepared.orders),
        times_(times),
        forward_(std::size_t{shape_.chunks()} * shape_.micro_batches),
        backward_(forward_.size()),
        free_(shape_.stages),
        known_(std::size_t{shape_.chunks()} * kKinds * 2) {}

  Duration makespan() {
    std::vector<std::size_t> next(shape_.stages, 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t s = 0; s < shape_.stages; ++s)
        while (next[s] < orders_[s].size() && step(s, next[s])) moved = true;
    }
    return last_;
  }

 private:
  static constexpr std::size_t kKinds = 4;
  using Ends = std::vector<std::optional<Duration>>;

  std::size_t at(std::uint32_t chunk, std::uint32_t micro_batch) const {
    return std::size_t{chunk} * shape_.micro_batches + micro_batch;
  }
  std::optional<Duration> ready(const StageWork& work) const {
    if (work.kind == StageWork::Kind::kWeightGradient) return Duration::zero();
    if (!work.backward())
      return shape_.is_first(work.chunk) ? Duration::zero() : forward_[at(work.chunk - 1, work.micro_batch)];
    return shape_.is_last(work.chunk) ? forward_[at(work.chunk, work.micro_batch)]
                                      : backward_[at(work.chunk + 1, work.micro_batch)];
  }
  const PassTime& time_of(const StageWork& work, bool paired) {
    std::optional<PassTime>& known =
        known_[(work.chunk * kKinds + static_cast<std::size_t>(work.kind)) * 2 + (paired ? 1 : 0)];
    if (!known) known = times_.of(work, paired);
    return *known;
  }

  // Takes a stage's next work, or pair. Returns false if it must wait. A pair ends at the earliest once the kernels of both have
  // run, and each of them what it waits for itself.
  bool step(std::uint32_t stage, std::size_t& next) {
    const std::size_t behind = next + (orders_[stage][next].with_next ? 2 : 1);
    const bool paired = behind - next > 1;
    Duration busy = free_[stage], free{};
    std::vector<std::pair<const StageWork*, Duration>> ends;
    for (std::size_t w = next; w < behind; ++w) {
      const StageWork& work = orders_[stage][w];
      const std::optional<Duration> from = ready(work);
      if (!from) return false;
      const PassTime& time = time_of(work, paired);
      const Duration end = std::max(free_[stage], *from + time.lead()) + time.span();
      busy += time.kernels();
      free = std::max(free, end);
      ends.emplace_back(&work, end + time.tail());
    }
    for (const auto& [work, end] : ends) {
      if (work->kind != StageWork::Kind::kWeightGradient)
        (work->backward() ? backward_ : forward_)[at(work->chunk, work->micro_batch)] = end;
      last_ = std::max(last_, end);
    }
    free_[stage] = std::max(free, busy);
    last_ = std::max(last_, free_[stage]);
    next = behind;
    return true;
  }

  const ScheduleShape& shape_;
  const StageOrders& orders_;
  const LeastTimes& times_;
  Ends forward_, backward_;                     // one entry per chunk, then micro-batch
  std::vector<Duration> free_;                  // one entry per stage: when its compute stream is free
  std::vector<std::optional<PassTime>> known_;  // by chunk, kind of work, and whether it is one of a pair
  Duration last_{};
};

}  // namespace

Duration least_step_time(const Experiment& experiment) {
  if (!training_plan(experiment)) return {};
  const PreparedStep prepared = prepare_step(experiment);
  return LeastWalk(prepared, LeastTimes(experiment, prepared)).makespan();
}

}  // namespace a3sim
