#include "sim/variation/variation.h"

#include <utility>

namespace a3sim {

Variation better_part(const Experiment& experiment, const MachinePart& part, const Improvement& by,
                      std::string name) {
  std::vector<std::string> changes = changes_of(part, experiment, by);
  const bool same_schedules = part.kind != MachinePart::Kind::kCount && are_of_machine(changes);
  return {std::move(name), std::move(changes),
          [&part, by](const Experiment& base) { return improved(base, part, by); }, same_schedules};
}

Variation other_machine(std::string name, std::vector<std::string> changes) {
  if (!are_of_machine(changes)) return {std::move(name), std::move(changes)};
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
