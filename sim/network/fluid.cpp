#include "sim/network/fluid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/core/ids.h"
#include "sim/core/whole_time.h"
#include "sim/network/class_table.h"
#include "sim/network/contract.h"
#include "sim/network/flow_queue.h"
#include "sim/network/fluid_date.h"

namespace a3sim {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The fluid runs on between whole picoseconds: only the dates that are handed out are rounded, so that
// rounding does not add up.
class Fluid final : public Network {
 public:
  Fluid(std::string name, const NetworkSpec& spec,
        const std::function<std::unique_ptr<RateSolver>()>& make_solver)
      : name_(std::move(name)), contract_(spec), solver_(make_solver()) {}

  void start(Time now, const Flow& flow) override {
    contract_.check(flow);
    change_at(now);
    const std::uint32_t c = class_of(flow);
    FlowQueue& waiting = waiting_[c];
    const double served = waiting.empty() ? 0 : waiting.first().finish - left_[c];
    const double finish = served + static_cast<double>(flow.bytes.count);
    noise_ = std::max(noise_, finish * kRelativeSlack);
    waiting.push({finish, sequence_++, flow.token});
    left_[c] = waiting.first().finish - served;
    solver_->join(c);
  }

  Time next_end() override {
    if (!ended_.empty()) return Time(Duration(ended_.first_date()));
    solve();
    if (next_ == kNever) return Time::max();
    return Time(Duration(whole_date(next_)));
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
  std::string_view name() const override { return name_; }

 private:
  // Brings the fluid to `now`, where its rates change.
  void change_at(Time now) {
    run_to(now);
    const std::int64_t date = now.time_since_epoch().count();
    if (const double passed = until(date); passed > 0) serve(passed);
    since_ = date;
    fraction_ = 0;
    solved_ = false;
  }

  std::uint32_t class_of(const Flow& flow) {
    const ClassTable::Key key{flow.from, flow.to, flow.cap.count};
    std::uint32_t& c = numbers_.at(key);
    if (c == kNone) {
      c = static_cast<std::uint32_t>(left_.size());
      solver_->add(flow.from, flow.to, flow.cap);
      left_.push_back(0);
      keys_.push_back(key);
      if (waiting_.size() <= c) waiting_.emplace_back();
    }
    return c;
  }

  void drop_class(std::uint32_t c) {
    solver_->remove(c);
    numbers_.erase(keys_[c]);
    if (c + 1 < left_.size()) {
      left_[c] = left_.back();
      keys_[c] = keys_.back();
      numbers_.at(keys_[c]) = c;
    }
    left_.pop_back();
    keys_.pop_back();
    std::swap(waiting_[c], waiting_[left_.size()]);  // the empty one keeps its memory for the next class
  }

  // Picoseconds from the fluid's date to a later date.
  double until(std::int64_t date) const { return static_cast<double>(date - since_) - fraction_; }
  // The date a while after the fluid's, rounded up.
  std::int64_t whole_date(double after) const {
    return since_ + whole_picoseconds(fraction_ + after - kSlack);
  }

  // Brings the rates and the next end up to date.
  void solve() {
    if (solved_) return;
    solved_ = true;
    solver_->solve();
    next_ = first_end();
  }

  // Picoseconds to the next end. Fractions are compared without dividing; a block of classes is looked
  // through only if one of them ends before all so far, which the compiler finds out for several at once.
  double first_end() const {
    constexpr std::size_t kBlock = 128;
    const double *rates = solver_->rates().data(), *lefts = left_.data();
    double left = kNever, rate = 1;
    for (std::size_t begin = 0, n = left_.size(); begin < n; begin += kBlock) {
      const std::size_t end = std::min(n, begin + kBlock);
      std::int64_t earlier = 0;
      for (std::size_t c = begin; c < end; ++c) earlier |= lefts[c] * rate < left * rates[c] ? 1 : 0;
      for (std::size_t c = begin; earlier != 0 && c < end; ++c) {
        if (lefts[c] * rate < left * rates[c]) {
          left = lefts[c];
          rate = rates[c];
        }
      }
    }
    return left / rate;
  }

  // Ends what ends by `now`.
  void run_to(Time now) {
    const std::int64_t date = contract_.move_to(now);
    // Nothing ends at the very date of a change: what could was ended with it.
    while (solved_ || until(date) > 0) {
      solve();
      const double rest = std::max(0.0, until(date));
      // The very date that next_end() hands out: another rule would leave the fluid standing at it.
      if (next_ == kNever || whole_date(next_) > date) return;
      const double passed = std::min(next_, rest);
      const std::int64_t whole = std::min(date, whole_date(passed));
      serve(passed);
      end_flows(whole);
      if (passed == rest) {
        since_ = date;
        fraction_ = 0;
      } else {
        const double floor = std::floor(fraction_ + passed);
        since_ += static_cast<std::int64_t>(floor);
        fraction_ += passed - floor;
      }
      solved_ = false;
    }
  }

  void serve(double passed) {
    const double* rates = solver_->rates().data();
    double* left = left_.data();
    for (std::size_t c = 0, n = left_.size(); c < n; ++c) left[c] -= rates[c] * passed;
  }

  void end_flows(std::int64_t date) {
    for (auto c = static_cast<std::uint32_t>(left_.size()); c-- > 0;) {
      const double slack = solver_->rates()[c] * kSlack + noise_;
      if (left_[c] <= slack) end_flows_of(c, slack, date);
    }
  }

  void end_flows_of(std::uint32_t c, double slack, std::int64_t date) {
    FlowQueue& waiting = waiting_[c];
    const double served = waiting.first().finish - left_[c];
    while (!waiting.empty() && waiting.first().finish - served <= slack) {
      ended_.add(date, waiting.first());
      waiting.pop();
      solver_->leave(c);
    }
    if (waiting.empty()) {
      drop_class(c);
    } else {
      left_[c] = waiting.first().finish - served;
    }
  }

  std::string name_;
  Contract contract_;
  std::unique_ptr<RateSolver> solver_;
  ClassTable numbers_;
  // By class, as the solver numbers them.
  std::vector<double> left_;  // bytes of the flow that ends first, at the fluid's date
  std::vector<FlowQueue> waiting_;
  std::vector<ClassTable::Key> keys_;
  double noise_ = 0;  // bytes: rounding of virtual times as large as any so far

  std::int64_t since_ = 0;  // the fluid's date: whole picoseconds and a fraction
  double fraction_ = 0;
  double next_ = kNever;  // picoseconds from there to the next end
  bool solved_ = true;    // rates and next end are up to date
  std::uint64_t sequence_ = 0;
  EndedFlows ended_;
};

}  // namespace

std::unique_ptr<Network> make_fluid(std::string name, const NetworkSpec& spec,
                                    const std::function<std::unique_ptr<RateSolver>()>& make_solver) {
  return std::make_unique<Fluid>(std::move(name), spec, make_solver);
}

}  // namespace a3sim
