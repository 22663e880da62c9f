#include "scheduler/orders/order_keys.h"

#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

// A key a line.
class OrderKeysTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    constexpr std::size_t kMostKeys = 8;
    const std::vector<std::string> operators{"Dispatch", "GMM1", "SwiGLU", "GMM2", "Combine"};
    OrderSpec order;
    while (!input.empty() && order.keys[1].size() < kMostKeys) {
      const std::string_view line = input.substr(0, input.find('\n'));
      order.keys[1].emplace_back(line);
      if (!key_error(order.keys[1].back()).empty()) return;
      input.remove_prefix(std::min(input.size(), line.size() + 1));
    }
    KeyProgram program(order, CoreUnit::kVector, operators);
    std::vector<double> values(program.size());
    Attributes task;
    for (const double value : {-1., 0., 1., 4294967294.}) {
      task.expert = task.chunk = task.dst = value;
      task.ep = value * value;
      program.evaluate(task, values);
    }
  }
};

A3SIM_REGISTER(FuzzTarget, "order_keys", "sort keys, evaluated", OrderKeysTarget);

}  // namespace
}  // namespace a3sim
