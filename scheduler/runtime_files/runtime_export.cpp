#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "scheduler/runtime_files/runtime_operand.h"
#include "scheduler/runtime_files/runtime_schedule.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// Returns CANN's aclDataType.
std::uint32_t acl_type(DataType type) {
  switch (type) {
    case DataType::kFp32:
      return 0;
    case DataType::kFp16:
      return 1;
    case DataType::kInt8:
      return 2;
    case DataType::kInt32:
      return 3;
    case DataType::kHif8:
      return 34;
    case DataType::kFp8E5m2:
      return 35;
    case DataType::kFp8E4m3:
    case DataType::kMxfp8:
      return 36;
    case DataType::kMxfp4:
      return 40;
    case DataType::kBf16:
      break;
  }
  return 27;
}

class Exporter {
 public:
  explicit Exporter(const Ssc& ssc) : ssc_(ssc) {}

  RuntimeConfig run() {
    check();
    config_.num_workers = ssc_.kinds().workers();
    for (const TaskDescriptor& td : ssc_.tasks()) config_.tasks.push_back(task(td));
    events();
    for (std::uint32_t q = 0; q < ssc_.queues(); ++q) {
      const auto queue = ssc_.queue(q);
      config_.task_indices[q].assign(queue.begin(), queue.end());
      config_.queue_capacity = std::max(config_.queue_capacity, static_cast<std::uint32_t>(queue.size()));
    }
    return std::move(config_);
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(fmt::format("{}, rank {}: the public runtime's files cannot carry ", ssc_.graph(),
                                 index(ssc_.rank())) +
                     fmt::format(format, std::forward<Args>(args)...));
  }

  void check() const {
    if (!are_aic_and_aiv(ssc_.kinds()))
      refuse("workers other than AIC and AIV: this schedule is for {}", ssc_.kinds().text());
    if (ssc_.tasks().size() > kRuntimeTasks)
      refuse("{} tasks, {} at most: cut into larger ones (cut.chunk, cut.task_rows)", ssc_.tasks().size(),
             kRuntimeTasks);
    if (ssc_.events().size() >= kRuntimeEvents)
      refuse("{} events, {} at most: cut into fewer partitions (cut.partitions)", ssc_.events().size(),
             kRuntimeEvents - 1);
    if (ssc_.assignment() != Assignment::kCyclic)
      refuse("a shared queue: its workers take tasks in turn (order.assignment)");
    for (const WorkerSet& set : ssc_.worker_sets()) {
      if (set.count != ssc_.workers(set.queue_type))
        refuse("pools and limits of workers (order.pools, order.limit)");
    }
  }

  RuntimeTensorDesc tensor(const Region& r, const OperatorInfo& op, std::size_t i, bool input) const {
    const TensorInfo& tensor = ssc_.tensors()[r.tensor];
    const std::uint64_t at = r.row_begin * tensor.row_bytes();
    if (at > std::numeric_limits<std::uint32_t>::max())
      refuse("rows of '{}' that begin {} bytes behind its first: base_ptr_offset has 32 bits", tensor.name,
             at);
    RuntimeTensorDesc t{};
    t.num_dims = 2;
    t.dim = {r.rows().size(), tensor.cols, 0, 0};
    t.stride = {tensor.cols, 1, 0, 0};
    t.data_type = acl_type(tensor.dtype);
    t.input_position = r.tensor;
    t.base_ptr_offset = static_cast<std::uint32_t>(at);
    t.transpose_flag = input && transposes(op, i) ? 1 : 0;
    return t;
  }

  RuntimeTaskDesc task(const TaskDescriptor& td) const {
    const OperatorInfo& op = ssc_.operators()[td.op];
    const auto type = runtime_type(op);
    if (!type) refuse("operator {}: the runtime has no task type for {}", op.name, op.type);
    RuntimeTaskDesc t{};
    t.task_type = static_cast<std::uint32_t>(*type);
    t.task_aicore_type =
        static_cast<std::uint32_t>(td.queue_type == kAicQueue ? RuntimeCore::kCube : RuntimeCore::kVector);
    t.trigger_event = td.trigger_event + 1;
    t.dependent_event = td.dependent_event == kNone ? 0 : td.dependent_event + 1;
    const auto inputs = ssc_.inputs(td), outputs = ssc_.outputs(td);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!(inputs[i].flags & kMetadata)) t.inputs.at(t.num_inputs++) = tensor(inputs[i], op, i, true);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      t.outputs.at(t.num_outputs++) = tensor(outputs[i], op, i, false);
    t.task_index = td.task_index;
    t.task_split_num = td.task_split_num;
    t.task_split_value = td.task_split_value;
    if (*type == RuntimeTaskType::kPutMemSignal) t.extra_value[0] = td.dst;
    return t;
  }

  void events() {
    config_.events.push_back({static_cast<std::uint32_t>(RuntimeEventType::kEmpty), 0, 0, 0});
    for (const EventDescriptor& e : ssc_.events()) {
      const RuntimeEventType type =
          e.done ? RuntimeEventType::kEndOfGraph : RuntimeEventType::kLaunchDependent;
      config_.events.push_back({static_cast<std::uint32_t>(type), e.threshold, 0, 0});
    }
    std::vector<bool> seen(config_.events.size(), false);
    for (std::uint32_t t = 0; t < config_.tasks.size(); ++t) {
      const std::uint32_t e = config_.tasks[t].dependent_event;
      if (e == 0) continue;
      if (!seen[e]) config_.events[e].first_task_id = t;
      config_.events[e].last_task_id = t;
      seen[e] = true;
    }
  }

  const Ssc& ssc_;
  RuntimeConfig config_;
};

}  // namespace

RuntimeConfig runtime_config_of(const Ssc& ssc) { return Exporter(ssc).run(); }

}  // namespace a3sim
