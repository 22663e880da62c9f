#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/experiment/config/order_file.h"
#include "sim/variation/machine_part.h"

namespace a3sim {

// A named change of an experiment: another machine, order, routing, anything that its configuration states.
struct Variation {
  std::string name;
  std::vector<std::string> changes;  // path.to.key=value, as `--set` takes them
  // Makes the changed experiment, where its configuration with these changes is not all. Throws InputError if there is
  // no such experiment. Null: Experiment::with(changes).
  std::function<Experiment(const Experiment&)> make = nullptr;
  // The changes are of the machine and the program alone, and the schedules stay.
  bool same_schedules = false;

  Experiment of(const Experiment& experiment) const {
    return make ? make(experiment) : experiment.with(changes);
  }
};

// Returns the experiment's part improved: "HBM, 10 % better".
Variation better_part(const Experiment& experiment, const MachinePart& part, const Improvement& by,
                      std::string name);
// Returns the experiment with these values of the machine, the program, and hosts.
Variation other_machine(std::string name, std::vector<std::string> changes);
// Returns the experiment under another order.
Variation other_order(OrderSpec order);

}  // namespace a3sim
