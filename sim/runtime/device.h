#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/operators/operator.h"
#include "scheduler/ssc.h"
#include "scheduler/worker_queues.h"
#include "sim/core/engine.h"
#include "sim/device/cost.h"
#include "sim/memory/memory.h"
#include "sim/runtime/fabric.h"
#include "sim/runtime/result.h"
#include "sim/runtime/static_run.h"

namespace a3sim {

// One rank's device while it executes its static schedule. Every worker loops: take a task, wait for its
// event, run it, trigger. A worker that waits holds its place.
class Device final : public EventHandler {
 public:
  Device(const Ssc& ssc, const RowLayout& layout, const CostModel& cost, Fabric& fabric,
         const RunOptions& options);

  void connect(std::vector<std::unique_ptr<Device>>& devices) { devices_ = &devices; }

  // All workers take their first task.
  void launch(Engine& engine);
  // The last byte of a worker's put has left.
  void put_has_left(Engine& engine, std::uint32_t worker);
  // Bytes a second that the ports read from and write to this device's memory.
  void reserve_for_puts(Engine& engine, double read, double write);

  bool finished() const { return finished_ == ssc_.tasks().size(); }
  // Every worker that waits: its task, the event, its count and threshold. A line each.
  std::string blocked() const;
  // The outcome; the device's records move out.
  RankResult take_result();

  void on_event(Engine& engine, std::uint32_t arg) override;
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  enum class Signal : std::uint32_t { kRun, kFree, kMemory, kVisible };  // what an event's argument means

  struct Worker {
    std::uint32_t task = kNone;
    std::uint32_t next_waiter = kNone;  // in the list of its event
    bool waiting = false;
    Time checked;  // when the first check of its event is over
    TaskRecord record;
    std::uint64_t put_bytes = 0;
    std::uint32_t put_dst = kNone;
  };

  void take(Engine& engine, std::uint32_t worker);
  void ready(Engine& engine, std::uint32_t worker);
  void run(Engine& engine, std::uint32_t worker);
  void start_put(Engine& engine, std::uint32_t worker);
  void take_ended(Engine& engine);
  void finish(Engine& engine, std::uint32_t worker);
  void count_trigger(Engine& engine, std::uint32_t event);
  void trigger(Engine& engine, const TaskDescriptor& td, Time visible);
  void schedule(Engine& engine, Time at, Signal signal, std::uint32_t value);
  void request_settle(Engine& engine);
  const TaskDescriptor& task_of(std::uint32_t worker) const { return ssc_.tasks()[workers_[worker].task]; }

  const Ssc& ssc_;
  const CostModel& cost_;
  Fabric& fabric_;
  RunOptions options_;
  std::vector<std::unique_ptr<Device>>* devices_ = nullptr;
  std::vector<const Operator*> operators_;
  WorkContext context_;
  WorkerQueues queues_;
  Memory memory_;
  std::vector<Worker> workers_;
  std::vector<std::uint32_t> event_counts_, first_waiter_;
  std::vector<std::uint32_t> ended_;
  Work work_;
  Time memory_end_ = Time::max();
  double put_read_ = 0, put_write_ = 0;
  bool settling_ = false;
  std::uint64_t finished_ = 0;
  RankResult result_;
};

}  // namespace a3sim
