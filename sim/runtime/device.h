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

// One rank's device. Its workers run tasks, portion by portion, through its L2 and memory. The Execution
// decides which worker runs which task when; the PutUnit moves rows to other ranks.
class Device final : public EventHandler, public Workers, public PutUnit::Owner {
 public:
  // `copy` selects the memory of the tensors: runs on the same L2 with different numbers use different
  // memory.
  Device(const Ssc& ssc, const RowLayout& layout, const CostModel& cost, Fabric& fabric, Group& group, L2& l2,
         const RunOptions& options, std::uint32_t copy);

  // The parts that the devices of other ranks use.
  EventCounters& events() { return events_; }
  PutUnit& puts() { return puts_; }
  // Sets the counters and put units of all ranks, one entry per rank; they must not move. Call this before
  // launch().
  void connect(std::span<EventCounters* const> events, std::span<PutUnit* const> puts);

  // Registers the execution with the engine.
  void know_execution(Engine& engine) { engine.know(*execution_); }
  // Launches the kernel now.
  void launch(Engine& engine);
  bool finished() const { return finished_ == ssc_.tasks().size(); }
  // Says what the tasks that have not run wait for, one line each.
  std::string blocked() const { return execution_->blocked(); }
  // Returns the result. Moves the device's records out.
  RankResult take_result();

  void assign(std::uint32_t worker, std::uint32_t task, Time now) override;
  void run_at(Engine& engine, std::uint32_t worker, Time at, const StartReason& why) override;
  L2Traffic access_of_put(TensorAccess access, OpId op) override;
  void reserve(Engine& engine, const std::array<double, kResources>& rates) override;
  void put_has_left(Engine& engine, std::uint32_t worker, Time visible) override;
  void put_has_ended(Engine& engine, std::uint32_t worker) override { finish(engine, worker); }
  void on_event(Engine& engine, std::uint32_t arg) override;
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  // The meaning of an event's argument; its other bits are the worker.
  enum class Signal : std::uint32_t { kLaunch, kRun, kMemory, kCopied };

  struct Worker {
    std::uint32_t task = kNone;
    TaskRecord record;
    Work work;
    TaskPortions portions;
    TaskPortion portion;
    CostModel::CubeTotal cube;  // sum over the task's portions so far
    CostModel::LastCube last_cube;
    PortionTraffic traffic;
    Duration missing{};  // time that the portion waits for lines missing in the L2
    double slowness = 1;
    std::uint32_t queue = 0;        // the queue that it takes tasks from
    bool copies = false;            // it is a copy engine
    std::uint32_t last_op = kNone;  // of the previous task
    Time last_end;                  // of the previous task
    bool told = false;              // those who wait for its task have been told (a put that has left)
  };

  const Hardware& hardware() const { return cost_.hardware(); }
  const TaskDescriptor& task_of(std::uint32_t worker) const { return ssc_.tasks()[workers_[worker].task]; }
  // Returns this rank as seen by the device that represents rank `dst`.
  RankId as_seen_from(std::uint32_t dst) const {
    const std::uint32_t turn = dst - puts_.device(dst), ranks = context_.layout.shape().ep;
    return turn == 0 ? ssc_.rank() : RankId{(index(ssc_.rank()) + ranks - turn) % ranks};
  }
  void run(Engine& engine, std::uint32_t worker);
  bool has_loaded_ahead(const Worker& w, Time now) const;
  // Ends the rank's idle time, when a task starts while no other runs.
  void end_idle_time(Time now, const TaskDescriptor& td);
  void start_portion(Engine& engine, std::uint32_t worker);
  // Starts a task's put to another rank.
  void start_put(Engine& engine, std::uint32_t worker);
  // Lets a copy engine copy rows in this rank's memory, at its own rate.
  void copy_here(Engine& engine, std::uint32_t worker);
  void look_up(Engine& engine, std::uint32_t worker);
  L2Traffic access(const TensorAccess& access);
  double on_its_way(Engine& engine, std::uint32_t worker, const TensorAccess& access) const;
  // Returns the bytes of reads that take the HBM as long as what a worker's access reads and writes back.
  double hbm_of(const Worker& w, const L2Traffic& traffic) const {
    const double part = w.portion.cube ? hardware().cube.hbm_part : 1;
    return hardware().memory.as_reads(static_cast<double>(traffic.hbm_read) / part,
                                      static_cast<double>(traffic.hbm_write));
  }
  void take_ended(Engine& engine);
  void end_portion(Engine& engine, std::uint32_t worker);
  // Tells those who wait that the worker's task is done now, and that its trigger is seen at `visible`.
  void tell(Engine& engine, std::uint32_t worker, Time visible);
  void finish(Engine& engine, std::uint32_t worker);
  void schedule(Engine& engine, Time at, Signal signal, std::uint32_t worker);
  void request_settle(Engine& engine);

  const Ssc& ssc_;
  const CostModel& cost_;
  L2& l2_;
  RunOptions options_;
  std::uint32_t first_tensor_;  // the L2's number of this run's first tensor
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
  bool waits_for_events_;  // tasks wait for events of other ranks; otherwise the ranks meet
  BusyTime running_;       // while any worker runs a task
  Time idle_since_;
  RankResult result_;
};

}  // namespace a3sim
