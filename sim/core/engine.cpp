#include "sim/core/engine.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "sim/core/size_error.h"

namespace a3sim {
void Engine::refuse_past(Time at) const {
  throw std::logic_error("an event was scheduled for " + std::to_string(at.time_since_epoch().count()) +
                         " ps, before the current time of " +
                         std::to_string(now().time_since_epoch().count()) + " ps");
}

std::uint32_t Engine::add_slot(EventHandler& handler) {
  // A handler that another engine served in between may already be known here.
  auto slot =
      static_cast<std::uint32_t>(handler.engine_slot_ == EventHandler::kUnserved ? served_.size() : 0);
  while (slot < served_.size() && served_[slot].handler != &handler) ++slot;
  if (slot == served_.size()) served_.push_back({&handler, {}});
  return handler.engine_slot_ = slot;
}

void Engine::settle(EventHandler& handler, std::uint32_t arg) {
  const std::uint32_t slot = slot_of(handler);
  auto& asked = served_[slot].asked;
  if (arg >= asked.size()) asked.resize(std::size_t{arg} + 1, 0);
  if (asked[arg]) return;
  asked[arg] = 1;
  settles_.push_back({slot, arg});
}

void Engine::run_settle() {
  const Call call = settles_[next_settle_++];
  if (next_settle_ == settles_.size()) {
    settles_.clear();
    next_settle_ = 0;
  }
  Served& served = served_[call.slot];
  served.asked[call.arg] = 0;
  served.handler->on_settle(*this, call.arg);
}

void Engine::gather() {
  round_.clear();
  next_ = 0;
  do {
    round_.push_back(queue_.pop().payload);
  } while (queue_.has_current());
  if (now() > latest_)
    throw RunSizeError("the run would take more than " +
                       std::to_string(static_cast<std::int64_t>(seconds(latest_.time_since_epoch()))) +
                       " seconds: is a time, a rate or a clock far off?");
  if (round_.size() == 1) return;
  std::ranges::sort(round_, {}, [](const Call& call) { return std::tuple(call.slot, call.arg); });
}

void Engine::run() {
  stopped_ = false;
  while (!stopped_) {
    if (next_ == round_.size()) {
      if (next_settle_ < settles_.size() && !queue_.has_current()) {
        run_settle();
        continue;
      }
      if (queue_.empty()) return;
      gather();
    }
    const Call call = round_[next_++];
    ++events_;
    served_[call.slot].handler->on_event(*this, call.arg);
  }
}

}  // namespace a3sim
