#include "traces/rules/io_queues.h"
#include "traces/rules/rule.h"

namespace a3sim {
namespace {

class IoReadRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_io(of, data, IoStage::kRead);
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_io(of, data, IoStage::kRead);
  }
};

A3SIM_REGISTER(CauseRule, "io.read", "batches are read too slowly", IoReadRule);

}  // namespace
}  // namespace a3sim
