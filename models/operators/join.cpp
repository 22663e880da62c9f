#include "models/operators/tile.h"

namespace a3sim {
namespace {

// Does nothing. The compiler inserts it to gather events; graphs do not name it.
class Join final : public Operator {
 public:
  TaskType task_type() const override { return TaskType::kJoin; }
  CoreUnit unit() const override { return CoreUnit::kVector; }
  std::uint32_t num_inputs() const override { return 0; }
  std::uint32_t num_outputs() const override { return 0; }
  std::string mismatch(std::span<const TensorInfo>, std::span<const TensorInfo>, bool) const override {
    return {};
  }
  SplitSpec split_spec() const override { return {}; }
  std::uint32_t task_number(const MoeShape&, const CutOptions&, std::span<const TensorInfo>) const override {
    return 1;
  }
  void fill_config(const FillContext& context, Tile, TaskTable& out) const override {
    out.add(describe(context, *this, std::nullopt, 0), {}, {});
  }
  void work(const WorkContext&, const TaskView&, Work&) const override {}
  void compute(const WorkContext&, const TaskView&, Data&) const override {}
};

A3SIM_REGISTER(Operator, "Join", "no work: gathers events", Join);

}  // namespace
}  // namespace a3sim
