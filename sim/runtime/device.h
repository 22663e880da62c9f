#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/operators/operator.h"
#include "scheduler/ssc.h"
#include "sim/core/engine.h"
#include "sim/device/cost.h"
#include "sim/memory/memory.h"
#include "sim/runtime/device_l2.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/fabric.h"
#include "sim/runtime/group.h"
#include "sim/runtime/result.h"
#include "sim/runtime/run.h"

namespace a3sim {

// One rank's device: its workers run tasks, step by step, through its L2 and memory. Which worker runs which
// task when is its Execution's decision.
class Device final : public EventHandler {
 public:
  // `copy`: where its tensors lie; elsewhere than those of runs on the same L2 with another number.
  Device(const Ssc& ssc, const RowLayout& layout, const CostModel& cost, Fabric& fabric, Group& group, L2& l2,
         const RunOptions& options, std::uint32_t copy);

  void connect(std::vector<std::unique_ptr<Device>>& devices) { devices_ = &devices; }

  // The kernel is launched now.
  void launch(Engine& engine);
  // The last byte of a worker's put has left.
  void put_has_left(Engine& engine, std::uint32_t worker);
  // The part that its memory can serve of ports which take this much, of the bytes that they move now.
  double served_part(double egress, double ingress) const;
  // Bytes a second that the ports read from and write to this device's memory.
  void reserve_for_puts(Engine& engine, double read, double write);

  bool finished() const { return finished_ == ssc_.tasks().size(); }
  // What keeps the tasks that have not run, a line each.
  std::string blocked() const { return execution_->blocked(); }
  // The outcome; the device's records move out.
  RankResult take_result();

  // For its Execution.
  Group& group() { return group_; }
  // How long a signal takes between the two ranks that are farthest apart.
  Duration farthest() const { return fabric_.topology().farthest(); }
  const Ssc& ssc() const { return ssc_; }
  const Hardware& hardware() const { return cost_.hardware(); }
  const RunOptions& options() const { return options_; }
  std::uint32_t workers() const { return static_cast<std::uint32_t>(workers_.size()); }
  bool is_complete(std::uint32_t event) const {
    return event_counts_[event] >= ssc_.events()[event].threshold;
  }
  // A worker has got a task. It runs from run_at() on.
  void assign(std::uint32_t worker, std::uint32_t task, Time now);
  void run_at(Engine& engine, std::uint32_t worker, Time at);
  void call_later(Engine& engine, Time at, std::uint32_t value) {
    schedule(engine, at, Signal::kCall, value);
  }
  // "rank 0 AIC 3: task 17 (GMM1 0) waits for event 4: 1 of 2", on a line of its own; without the worker for
  // kNone.
  std::string waits(std::uint32_t task, std::uint32_t worker) const;

  void on_event(Engine& engine, std::uint32_t arg) override;
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  // What an event's argument means.
  enum class Signal : std::uint32_t { kLaunch, kRun, kFlow, kFree, kMemory, kVisible, kCall };

  struct Worker {
    std::uint32_t task = kNone;
    TaskRecord record;
    Work work;
    TaskSteps steps;
    Step step;
    StepTraffic traffic;
    Duration missing{};  // of the step
    double slowness = 1;
    bool puts = false;  // it runs a put to another rank: this one
    Fabric::Put put{};
    double put_hbm_here = 0, put_hbm_there = 0;  // hbm_of() what it moves here, and at the destination
  };

  void run(Engine& engine, std::uint32_t worker);
  void start_put(Engine& engine, std::uint32_t worker);
  void let_flow(Engine& engine, std::uint32_t worker);
  void start_step(Engine& engine, std::uint32_t worker);
  void look_up(Engine& engine, std::uint32_t worker);
  double on_its_way(Engine& engine, std::uint32_t worker, const StepAccess& access) const;
  L2Traffic access(const StepAccess& access, OpId op);
  // Bytes of reads that take the HBM as long as what an access reads and writes back.
  double hbm_of(const L2Traffic& traffic) const {
    return hardware().memory.as_reads(static_cast<double>(traffic.hbm_read),
                                      static_cast<double>(traffic.hbm_write));
  }
  void take_ended(Engine& engine);
  void end_step(Engine& engine, std::uint32_t worker);
  void finish(Engine& engine, std::uint32_t worker);
  void count_trigger(Engine& engine, std::uint32_t event);
  void trigger(Engine& engine, const TaskDescriptor& td, Time visible);
  void schedule(Engine& engine, Time at, Signal signal, std::uint32_t value);
  void request_settle(Engine& engine);
  const TaskDescriptor& task_of(std::uint32_t worker) const { return ssc_.tasks()[workers_[worker].task]; }

  // Puts that leave or arrive now: bytes of them, and of HBM that they need.
  struct Puts {
    double bytes = 0, hbm = 0;
    double part() const { return bytes > 0 ? hbm / bytes : 0; }
  };

  const Ssc& ssc_;
  const CostModel& cost_;
  Fabric& fabric_;
  Group& group_;
  L2& l2_;
  RunOptions options_;
  std::uint32_t first_tensor_;  // of this run's memory, in the L2
  std::vector<std::unique_ptr<Device>>* devices_ = nullptr;
  std::vector<const Operator*> operators_;
  std::vector<OpHints> hints_;
  WorkContext context_;
  std::vector<Worker> workers_;
  Memory memory_;
  // Two by AIC: place_hash() of what its first two accesses are waiting for; of others, anything. Most are
  // told apart without looking at their workers.
  std::vector<std::uint32_t> fetching_;
  std::vector<std::uint32_t> event_counts_;
  std::unique_ptr<Execution> execution_;
  std::vector<std::uint32_t> ended_;
  Time memory_end_ = Time::max();
  bool settling_ = false;
  Puts leaving_, arriving_;
  std::array<double, kResources> reserved_{};
  std::uint64_t finished_ = 0;
  RankResult result_;
};

}  // namespace a3sim
