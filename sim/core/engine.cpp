#include "sim/core/engine.h"

#include <stdexcept>
#include <string>

namespace a3sim {

void Engine::refuse_past(Time at) const {
  throw std::logic_error("an event was scheduled for " + std::to_string(at.time_since_epoch().count()) +
                         " ps, before the current date of " +
                         std::to_string(now().time_since_epoch().count()) + " ps");
}

std::uint32_t Engine::add_slot(EventHandler& handler) {
  handler.engine_slot_ = static_cast<std::uint32_t>(handlers_.size());
  handlers_.push_back(&handler);
  return handler.engine_slot_;
}

void Engine::settle(EventHandler& handler, std::uint32_t arg) {
  const std::uint32_t slot = slot_of(handler);
  for (std::size_t i = next_settle_; i < settles_.size(); ++i) {
    if (settles_[i].slot == slot && settles_[i].arg == arg) return;
  }
  settles_.push_back({slot, arg});
}

void Engine::run_settle() {
  const Call call = settles_[next_settle_++];
  if (next_settle_ == settles_.size()) {
    settles_.clear();
    next_settle_ = 0;
  }
  handlers_[call.slot]->on_settle(*this, call.arg);
}

void Engine::run() {
  stopped_ = false;
  while (!stopped_) {
    if (next_settle_ < settles_.size() && !queue_.has_current()) {
      run_settle();
      continue;
    }
    if (queue_.empty()) return;
    const auto item = queue_.pop();
    ++events_;
    handlers_[item.payload.slot]->on_event(*this, item.payload.arg);
  }
}

}  // namespace a3sim
