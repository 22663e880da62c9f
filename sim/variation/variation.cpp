#include "sim/variation/variation.h"

#include <utility>

namespace a3sim {

Variation better_part(const Experiment& experiment, const MachinePart& part, const Improvement& by,
                      std::string name) {
  return {std::move(name), changes_of(part, experiment, by),
          [&part, by](const Experiment& base) { return improved(base, part, by); },
          part.kind != MachinePart::Kind::kCount};
}

Variation other_machine(std::string name, std::vector<std::string> changes) {
  return {std::move(name), changes, [changes](const Experiment& base) { return base.with_machine(changes); },
          true};
}

Variation other_order(OrderSpec order) {
  std::string name = order.name;
  return {std::move(name), {}, [order = std::move(order)](const Experiment& base) {
            return with_order(base, order);
          }};
}

}  // namespace a3sim
