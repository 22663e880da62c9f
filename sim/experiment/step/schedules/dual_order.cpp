#include "sim/experiment/step/schedules/dual_order.h"

#include <deque>

namespace a3sim {
namespace {

class DualOrderWriter {
 public:
  explicit DualOrderWriter(const DualOrder& of) : of_(of) {}

  std::vector<StageWork> order() {
    const std::uint32_t p = of_.depth, s = of_.place, m = of_.micro_batches, after = p - 1 - s;
    for (std::uint32_t i = 0; i < 2 * after; ++i) forward(0);
    for (std::uint32_t i = 0; i < s + 1; ++i) {
      forward(0);
      forward(1);
    }
    for (std::uint32_t i = 0; i < after; ++i) {
      backward(1, true);
      weights();
      forward(1);
    }
    for (std::uint32_t i = 0; i < m - 2 * p + s + 1; ++i) {
      if (i == 0 && after == 0) {
        forward(0);
        backward(1, false);
      } else {
        pair(0, 1);
      }
      pair(1, 0);
    }
    for (std::uint32_t i = 0; i < after; ++i) {
      backward(1, false);
      pair(1, 0);
    }
    cool_down(after);
    return std::move(list_);
  }

 private:
  using Kind = StageWork::Kind;

  // Weight gradients of the second half are delayed until the stage would wait.
  void cool_down(std::uint32_t after) {
    const std::uint32_t rest = of_.place + 1;
    bool split = false;
    for (std::uint32_t i = 0; i < rest; ++i) {
      if (i == rest / 2 && of_.place % 2 == 1) split = of_.split_weights;
      backward(1, split);
      if (i == rest / 2 && of_.place % 2 == 0) split = of_.split_weights;
      backward(0, split);
    }
    for (std::uint32_t i = 0; i < after; ++i) {
      weights();
      backward(0, of_.split_weights);
    }
    while (!put_off_.empty()) weights();
  }

  void forward(std::uint32_t phase) {
    list_.push_back({Kind::kForward, of_.chunk[phase], forwards_[phase]++});
  }
  void backward(std::uint32_t phase, bool split) {
    list_.push_back(
        {split ? Kind::kActivationGradient : Kind::kBackward, of_.chunk[phase], backwards_[phase]++});
    if (split) put_off_.push_back(list_.back());
  }
  void weights() {
    if (put_off_.empty()) return;
    list_.push_back({Kind::kWeightGradient, put_off_.front().chunk, put_off_.front().micro_batch});
    put_off_.pop_front();
  }
  void pair(std::uint32_t forward_phase, std::uint32_t backward_phase) {
    forward(forward_phase);
    list_.back().with_next = of_.overlap;
    backward(backward_phase, false);
  }

  const DualOrder& of_;
  std::uint32_t forwards_[2] = {0, 0}, backwards_[2] = {0, 0};  // one entry per phase: micro-batches so far
  std::deque<StageWork> put_off_;
  std::vector<StageWork> list_;
};

}  // namespace

std::vector<StageWork> dual_order(const DualOrder& of) { return DualOrderWriter(of).order(); }

}  // namespace a3sim
