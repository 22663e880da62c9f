#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "models/operators/engine_put.h"
#include "models/operators/operator.h"
#include "scheduler/verify/parts.h"
#include "sim/core/closest.h"

namespace a3sim {
namespace {

// Returns the tensors with the rows that operators check: for weights, those of one expert; 0 if they follow
// from the routing.
std::vector<TensorInfo> judged(const Ssc& ssc, std::span<const TensorId> tensors) {
  std::vector<TensorInfo> infos;
  for (const TensorId id : tensors) {
    TensorInfo& info = infos.emplace_back(ssc.tensors()[index(id)]);
    if (info.layout == Layout::kWeights) info.rows /= ssc.shape().experts_per_rank;
    if (info.layout != Layout::kPlain && info.layout != Layout::kWeights) info.rows = 0;
  }
  return infos;
}

// Returns why no machine can do what the operator declares; empty if one can.
std::string flaw_of(const Ssc& ssc, const OperatorInfo& op) {
  const Operator* const type = Operators::find(op.type);
  if (type == nullptr)
    return fmt::format("is of an unknown type '{}'{}", op.type, suggestion(op.type, Operators::names()));
  if (op.inputs.size() < type->num_inputs() || op.outputs.size() != type->num_outputs()) {
    // The compiler's own operators have as many inputs as the graph has ends.
    if (type->num_outputs() == 0 && op.outputs.empty()) return {};
    return fmt::format("({}) has {} inputs and {} outputs, expected {} and {}", op.type, op.inputs.size(),
                       op.outputs.size(), type->num_inputs(), type->num_outputs());
  }
  const auto operands = std::span(op.inputs).first(type->num_inputs());  // holds follow the operands
  const std::string mismatch = type->mismatch(judged(ssc, operands), judged(ssc, op.outputs), op.transposed);
  return mismatch.empty() ? mismatch : fmt::format("({}): {}", op.type, mismatch);
}

// The type and the unit of an operator's tasks.
struct OperatorType {
  explicit OperatorType(const Operator& op)
      : task_type(static_cast<std::uint16_t>(op.task_type())), unit(op.unit()) {}
  std::uint16_t task_type;
  CoreUnit unit;
};

class TypesCheck final : public Check {
 public:
  explicit TypesCheck(const CheckedGroup& group) : schedule_(group.schedule) {
    const Ssc& first = schedule_.front();
    for (const OperatorInfo& op : first.operators()) {
      if (const std::string flaw = flaw_of(first, op); !flaw.empty())
        findings_.errors.push_back(fmt::format("operator {} {}", op.name, flaw));
    }
    known_ = findings_.errors.empty();
    if (!known_) return;
    for (const OperatorInfo& op : first.operators()) types_.emplace_back(Operators::get(op.type));
  }

  void visit(std::uint32_t rank) override {
    if (!known_) return;
    const Ssc& ssc = schedule_[rank];
    const std::span<const OperatorInfo> operators = ssc.operators();
    const std::size_t tilings = ssc.tilings().size();
    const WorkerKinds& kinds = ssc.kinds();
    std::set<std::uint32_t> told;  // operators that were reported
    for (const TaskDescriptor& td : ssc.tasks()) {
      const OperatorInfo& op = operators[td.op];
      const OperatorType& type = types_[td.op];
      const bool tiled = type.unit != CoreUnit::kMatrix || td.tiling_data_position < tilings;
      if (!tiled && told.insert(td.op).second) {
        findings_.errors.push_back(fmt::format("{}[{}] on rank {} is a matrix task and has no tiling",
                                               op.name, td.task_index, rank));
      }
      const bool fits_queue = td.queue_type == queue_of_type(kinds, type.unit, op.type);
      const bool right = td.task_type == type.task_type && fits_queue;
      if (right || !told.insert(td.op).second) continue;
      findings_.errors.push_back(
          fmt::format("{}[{}] on rank {} is a task of type {} in the {}, its operator ({}) has {} tasks of "
                      "type {}",
                      op.name, td.task_index, rank, td.task_type, kinds[td.queue_type].queue(), op.type,
                      name_of(type.unit), type.task_type));
    }
  }

 private:
  const Schedule& schedule_;
  bool known_ = false;               // all types are known
  std::vector<OperatorType> types_;  // one entry per operator
};

}  // namespace

std::unique_ptr<Check> types_check(const CheckedGroup& group) { return std::make_unique<TypesCheck>(group); }

}  // namespace a3sim
