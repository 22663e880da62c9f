#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/operators/operator.h"
#include "scheduler/ssc/ssc.h"
#include "sim/core/engine.h"
#include "sim/device/cost.h"
#include "sim/memory/memory.h"
#include "sim/runtime/device_l2.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/fetches.h"
#include "sim/runtime/put_unit.h"
#include "sim/runtime/result.h"
#include "sim/runtime/run_options.h"

namespace a3sim {

// One rank's device: its workers run tasks, step by step, through its L2 and memory. Which worker runs which
// task when is its Execution's decision; puts to other ranks are its PutUnit's.
class Device final : public EventHandler, public Workers, public PutUnit::Owner {
 public:
  // `copy`: where its tensors lie; elsewhere than those of runs on the same L2 with another number.
  Device(const Ssc& ssc, const RowLayout& layout, const CostModel& cost, Fabric& fabric, Group& group, L2& l2,
         const RunOptions& options, std::uint32_t copy);

  // The parts that other ranks' devices use.
  EventCounters& events() { return events_; }
  PutUnit& puts() { return puts_; }
  // The counters and put units of all ranks, by rank; they stay where they are. Before launch().
  void connect(std::span<EventCounters* const> events, std::span<PutUnit* const> puts);

  // Introduces how it runs tasks.
  void know_execution(Engine& engine) { engine.know(*execution_); }
  // The kernel is launched now.
  void launch(Engine& engine);
  bool finished() const { return finished_ == ssc_.tasks().size(); }
  // What keeps the tasks that have not run, a line each.
  std::string blocked() const { return execution_->blocked(); }
  // The outcome; the device's records move out.
  RankResult take_result();

  void assign(std::uint32_t worker, std::uint32_t task, Time now) override;
  void run_at(Engine& engine, std::uint32_t worker, Time at, const StartReason& why) override;
  L2Traffic access_of_put(StepAccess access, OpId op) override;
  void reserve(Engine& engine, const std::array<double, kResources>& rates) override;
  void put_has_left(Engine& engine, std::uint32_t worker, Time visible) override;
  void put_has_ended(Engine& engine, std::uint32_t worker) override { finish(engine, worker); }
  void on_event(Engine& engine, std::uint32_t arg) override;
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  // What an event's argument means, beside the worker.
  enum class Signal : std::uint32_t { kLaunch, kRun, kMemory };

  struct Worker {
    std::uint32_t task = kNone;
    TaskRecord record;
    Work work;
    TaskSteps steps;
    Step step;
    CostModel::CubeTotal cube;  // of the task's steps until now
    CostModel::LastCube last_cube;
    StepTraffic traffic;
    Duration missing{};  // of the step
    double slowness = 1;
    std::uint32_t queue = 0;        // it takes tasks from
    std::uint32_t last_op = kNone;  // of the task before
    Time last_end;                  // of that task
    bool told = false;              // whoever waits for its task has been told: a put that has left
  };

  const Hardware& hardware() const { return cost_.hardware(); }
  const TaskDescriptor& task_of(std::uint32_t worker) const { return ssc_.tasks()[workers_[worker].task]; }
  // This rank, as the device knows it that stands for the rank which a task reaches.
  RankId as_seen_from(std::uint32_t dst) const {
    const std::uint32_t turn = dst - puts_.device(dst), ranks = context_.layout.shape().ep;
    return turn == 0 ? ssc_.rank() : RankId{(index(ssc_.rank()) + ranks - turn) % ranks};
  }
  void run(Engine& engine, std::uint32_t worker);
  bool has_loaded_ahead(const Worker& w, Time now) const;
  // A task starts, and none ran before.
  void end_idle_time(Time now, const TaskDescriptor& td);
  void start_step(Engine& engine, std::uint32_t worker);
  void look_up(Engine& engine, std::uint32_t worker);
  L2Traffic access(const StepAccess& access);
  double on_its_way(Engine& engine, std::uint32_t worker, const StepAccess& access) const;
  // Bytes of reads that take the HBM as long as what an access reads and writes back.
  double hbm_of(const L2Traffic& traffic) const {
    return hardware().memory.as_reads(static_cast<double>(traffic.hbm_read),
                                      static_cast<double>(traffic.hbm_write));
  }
  void take_ended(Engine& engine);
  void end_step(Engine& engine, std::uint32_t worker);
  // The worker's task is done at this date, and seen to be at `visible`.
  void tell(Engine& engine, std::uint32_t worker, Time visible);
  void finish(Engine& engine, std::uint32_t worker);
  void schedule(Engine& engine, Time at, Signal signal, std::uint32_t worker);
  void request_settle(Engine& engine);

  const Ssc& ssc_;
  const CostModel& cost_;
  L2& l2_;
  RunOptions options_;
  std::uint32_t first_tensor_;  // of this run's memory, in the L2
  std::vector<const Operator*> operators_;
  std::vector<OpHints> hints_;
  WorkContext context_;
  std::vector<Worker> workers_;
  Memory memory_;
  Fetches fetches_;
  EventCounters events_;
  std::span<EventCounters* const> all_events_;
  PutUnit puts_;
  ExecutionSite site_;
  std::unique_ptr<Execution> execution_;
  std::vector<std::uint32_t> ended_;
  Time memory_end_ = Time::max();
  bool settling_ = false;
  std::uint64_t finished_ = 0;
  const Group& group_;
  bool waits_for_events_;  // of other ranks; else it meets them
  BusyTime running_;       // its workers
  Time idle_since_;
  RankResult result_;
};

}  // namespace a3sim
