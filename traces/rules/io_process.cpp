#include "traces/rules/io_queues.h"
#include "traces/rules/rule.h"

namespace a3sim {
namespace {

class IoProcessRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_io(of, data, IoStage::kProcess);
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_io(of, data, IoStage::kProcess);
  }
};

A3SIM_REGISTER(CauseRule, "io.process", "batches are processed too slowly", IoProcessRule);

}  // namespace
}  // namespace a3sim
