#pragma once

#include <functional>
#include <memory>

#include "sim/study/faults/fault.h"

namespace a3sim {

// A fault that is said in one function.
class SimpleFault final : public Fault {
 public:
  using Disturb = std::function<void(const SimpleFault&, std::uint32_t step, StepConditions&)>;
  explicit SimpleFault(Disturb disturb) : disturb_(std::move(disturb)) {}
  void disturb(std::uint32_t step, StepConditions& conditions) const override {
    disturb_(*this, step, conditions);
  }

 private:
  Disturb disturb_;
};

}  // namespace a3sim
