#include "traces/rules/io_queues.h"
#include "traces/rules/rule.h"

namespace a3sim {
namespace {

class IoFetchRule final : public CauseRule {
 public:
  std::vector<Finding> judge(const Case& of, const RuleData& data) const override {
    return judge_io(of, data, IoStage::kFetch);
  }
  std::vector<Finding> stands(const Standing& of, const RuleData& data) const override {
    return standing_io(of, data, IoStage::kFetch);
  }
};

A3SIM_REGISTER(CauseRule, "io.fetch", "batches are fetched too slowly", IoFetchRule);

}  // namespace
}  // namespace a3sim
