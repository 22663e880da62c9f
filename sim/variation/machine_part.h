#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// Says by how much a part of the machine improves, or gets worse.
struct Improvement {
  double factor = 1;  // positive; multiplies rates and sizes, divides times
  bool free = false;  // durations become 0, and a part of a rate becomes the whole of it, whatever the factor
  std::int64_t everything = 0;  // bytes that an L2 needs to hold all; 0: the factor decides its size

  // Returns an improvement that is as good as free: rates rise so much that what they cost no longer shows,
  // but stay finite.
  static Improvement to_free(std::int64_t everything);
};

// A property of the machine, or of the program on it, that an engineer could improve, in the words of the
// field; and the values of configs/hardware/ and configs/programs/ that it stands for. configs/parts.yaml has all.
struct MachinePart {
  // How a value improves.
  enum class Form : std::uint8_t { kRate, kTime, kShare, kFactor, kSize, kWorkers, kStandsFor };
  struct Value {
    std::string path;  // hardware.memory.hbm_read; `*` for any name
    Form form = Form::kRate;
  };
  enum class Kind : std::uint8_t {
    kSingle,
    kWhole,  // carries others with it, as the clock does, and is therefore never named as what binds
    kCount   // number of workers; changing it needs other schedules, and it cannot be free
  };

  std::string name;
  std::vector<Value> values;
  Kind kind = Kind::kSingle;
  bool cables = false;             // the cables between switches, which `values` do not state
  bool optional = false;           // described only where one of its values is stated and not zero
  std::vector<std::string> needs;  // described only where all of these blocks are
  // Causes on a critical path (runtime/cause.h) where the part may be what limits: its own one first, then those that
  // others pace too.
  std::vector<std::string> blamed;
  std::string charged, transport;  // used only by runs that are charged with this value, that move rows so

  // Returns whether the machine describes the part; some describe no copy engines, hosts, or kernels that
  // dispatch.
  bool is_described(const Experiment& experiment) const;
  // Returns whether a run uses the part, so that it matters.
  bool matters_to(const RunOptions& run) const;
  // Returns the paths of its values, joined by ", ".
  std::string value_names() const;
};

// Returns all parts, in the order of configs/parts.yaml.
std::span<const MachinePart> machine_parts();
// Returns the part of this name. Throws std::logic_error if there is none.
const MachinePart& machine_part(std::string_view name);

// Returns the changes of the experiment's configuration that improve the part. Cables have none.
std::vector<std::string> changes_of(const MachinePart& part, const Experiment& experiment,
                                    const Improvement& by);
// Returns whether changes are of the machine and the program alone, so that schedules stay.
bool are_of_machine(std::span<const std::string> changes);
// Returns the experiment on a machine with the part improved, under the same schedules. More workers have the same
// proportion of them run tasks: all, or every second; products that were cut for all workers are cut for the new number.
Experiment improved(const Experiment& experiment, const MachinePart& part, const Improvement& by);

// Returns the changes that give the machine these numbers of workers, and the experiment the same proportion of them.
std::vector<std::string> changes_to_workers(const Experiment& experiment, const WorkerKinds& workers);

// Returns whether a path is `name` or below it. `*` in `name` stands for any one key.
bool is_below(std::string_view path, std::string_view name);

}  // namespace a3sim
