#include "sim/network/fluid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/core/ids.h"
#include "sim/core/whole_time.h"
#include "sim/network/cable_meter.h"
#include "sim/network/class_table.h"
#include "sim/network/contract.h"
#include "sim/network/flow_queue.h"
#include "sim/network/fluid_time.h"

namespace a3sim {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// A network that shares bandwidth by a RateSolver. Its own times are not whole picoseconds: only reported
// times are rounded, so that rounding does not add up.
class Fluid final : public Network, public CableMeter {
 public:
  Fluid(std::string name, const NetworkSpec& spec,
        const std::function<std::unique_ptr<RateSolver>()>& make_solver)
      : name_(std::move(name)), contract_(spec), solver_(make_solver()) {}

  void start(Time now, const Flow& flow) override {
    contract_.check(flow);
    change_at(now);
    const std::uint32_t c = class_of(flow);
    FlowQueue& waiting = waiting_[c];
    const double served = waiting.empty() ? 0 : waiting.first().finish - solver_->left(c);
    const double finish = served + static_cast<double>(flow.bytes.count);
    noise_ = std::max(noise_, finish * kRelativeSlack);
    waiting.push({finish, sequence_++, flow.token});
    solver_->set_left(c, waiting.first().finish - served);
    solver_->join(c);
  }

  Time next_end() override {
    if (!ended_.empty()) return Time(Duration(ended_.first_time()));
    solve();
    if (next_ == kNever) return Time::max();
    return Time(Duration(whole_time(next_)));
  }

  void advance(Time now, std::vector<std::uint32_t>& ended) override {
    run_to(now);
    ended_.hand_out(ended);
  }

  void set_egress(Time now, std::uint32_t port, BytesPerSecond capacity) override {
    if (!contract_.set_egress(now, port, capacity)) return;
    change_at(now);
    solver_->set_egress(port, capacity);
  }
  void set_ingress(Time now, std::uint32_t port, BytesPerSecond capacity) override {
    if (!contract_.set_ingress(now, port, capacity)) return;
    change_at(now);
    solver_->set_ingress(port, capacity);
  }
  void set_cable(Time now, std::uint32_t cable, BytesPerSecond capacity) override {
    if (!contract_.set_cable(now, cable, capacity)) return;
    change_at(now);
    solver_->set_cable(cable, capacity);
  }

  double egress_rate(std::uint32_t port) override {
    contract_.check_egress(port);
    solve();
    return solver_->egress_rate(port) * 1e12;
  }
  double ingress_rate(std::uint32_t port) override {
    contract_.check_ingress(port);
    solve();
    return solver_->ingress_rate(port) * 1e12;
  }
  double cable_rate(std::uint32_t cable) override {
    contract_.check_cable(cable);
    solve();
    return solver_->cable_rate(cable) * 1e12;
  }
  void cable_rates(std::span<double> rates) override {
    solve();
    solver_->cable_rates(rates);
    for (double& rate : rates) rate *= 1e12;
  }
  std::string_view name() const override { return name_; }

 private:
  // Advances the fluid to `now`, where its rates change.
  void change_at(Time now) {
    run_to(now);
    const std::int64_t time = now.time_since_epoch().count();
    if (const double passed = until(time); passed > 0) solver_->serve(passed);
    since_ = time;
    fraction_ = 0;
    solved_ = false;
  }

  std::uint32_t class_of(const Flow& flow) {
    const ClassTable::Key key{flow.from, flow.to, flow.cap.count, flow.path};
    std::uint32_t& c = numbers_.at(key);
    if (c == kNone) {
      if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(waiting_.size()));
        waiting_.emplace_back();
        keys_.emplace_back();
      }
      c = free_.back();
      free_.pop_back();
      keys_[c] = key;
      solver_->add(c, flow.from, flow.to, flow.cap, flow.path);
    }
    return c;
  }

  void drop_class(std::uint32_t c) {
    solver_->remove(c);
    numbers_.erase(keys_[c]);
    free_.push_back(c);
  }

  // Returns picoseconds from the fluid's time to a later time.
  double until(std::int64_t time) const { return static_cast<double>(time - since_) - fraction_; }
  // Returns the time some picoseconds after the fluid's, rounded up.
  std::int64_t whole_time(double after) const {
    return since_ + whole_picoseconds(fraction_ + after - kSlack);
  }

  // Updates the rates and the next end.
  void solve() {
    if (solved_) return;
    solved_ = true;
    solver_->solve();
    next_ = solver_->first_end();
  }

  // Ends flows that end by `now`.
  void run_to(Time now) {
    const std::int64_t time = contract_.move_to(now);
    // At the very time of a change no flow ends: those that could have ended already.
    while (solved_ || until(time) > 0) {
      solve();
      const double rest = std::max(0.0, until(time));
      // This must be the time that next_end() returns: with another rule the fluid would not advance past it.
      if (next_ == kNever || whole_time(next_) > time) return;
      const double passed = std::min(next_, rest);
      const std::int64_t whole = std::min(time, whole_time(passed));
      solver_->serve(passed);
      end_flows(whole);
      if (passed == rest) {
        since_ = time;
        fraction_ = 0;
      } else {
        const double floor = std::floor(fraction_ + passed);
        since_ += static_cast<std::int64_t>(floor);
        fraction_ += passed - floor;
      }
      solved_ = false;
    }
  }

  void end_flows(std::int64_t time) {
    ending_.clear();
    solver_->take_ending(noise_, ending_);
    // New classes take the numbers that were returned last, in the order in which these had started.
    const auto later = [](const auto& a, const auto& b) { return a.c > b.c; };
    if (!std::is_sorted(ending_.begin(), ending_.end(), later))
      std::sort(ending_.begin(), ending_.end(), later);
    for (const RateSolver::Ending& e : ending_) end_flows_of(e, time);
  }

  void end_flows_of(const RateSolver::Ending& ending, std::int64_t time) {
    const std::uint32_t c = ending.c;
    FlowQueue& waiting = waiting_[c];
    const double served = waiting.first().finish - ending.left;
    while (!waiting.empty() && waiting.first().finish - served <= ending.slack) {
      ended_.add(time, waiting.first());
      waiting.pop();
      solver_->leave(c);
    }
    if (waiting.empty()) {
      drop_class(c);
    } else {
      solver_->set_left(c, waiting.first().finish - served);
    }
  }

  std::string name_;
  Contract contract_;
  std::unique_ptr<RateSolver> solver_;
  ClassTable numbers_;
  std::vector<std::uint32_t> free_;  // numbers of classes
  // Indexed by class.
  std::vector<FlowQueue> waiting_;
  std::vector<ClassTable::Key> keys_;
  double noise_ = 0;  // bytes: rounding of virtual times as large as any so far

  std::int64_t since_ = 0;  // the fluid's time: whole picoseconds and a fraction
  double fraction_ = 0;
  double next_ = kNever;  // picoseconds from there to the next end
  bool solved_ = true;    // rates and next end are up to date
  std::uint64_t sequence_ = 0;
  EndedFlows ended_;
  std::vector<RateSolver::Ending> ending_;
};

}  // namespace

std::unique_ptr<Network> make_fluid(std::string name, const NetworkSpec& spec,
                                    const std::function<std::unique_ptr<RateSolver>()>& make_solver) {
  return std::make_unique<Fluid>(std::move(name), spec, make_solver);
}

}  // namespace a3sim
