#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/device/hardware.h"
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
// field; and the values of configs/hardware/ and configs/programs/ that it stands for.
struct MachinePart {
  std::string_view name;
  std::vector<std::string_view> values;  // their paths: hardware.memory.hbm_read; `*` for any name
  // Improves the part. Changes only the hardware, the program, and the cables of the experiment's network.
  // Every value stays one that a configuration could state, except that cycles may be fractions.
  void (*improve)(Experiment&, const Improvement&);
  enum class Kind : std::uint8_t {
    kSingle,
    kWhole,  // carries others with it, as the clock does, and is therefore never named as what binds
    kCount   // number of workers; changing it needs other schedules, and it cannot be free
  } kind = Kind::kSingle;
  // Returns whether a run uses the part, so that it matters. Null: every run does.
  bool (*used_by)(const RunOptions&) = nullptr;

  // Returns whether the machine describes the part; some describe no copy engines, hosts, or kernels that
  // dispatch. Null: every machine does.
  bool (*described_by)(const Experiment&) = nullptr;

  bool is_described(const Experiment& experiment) const { return !described_by || described_by(experiment); }
  bool matters_to(const RunOptions& run) const { return !used_by || used_by(run); }
};

// Returns all parts, in the order of the hardware's description.
std::span<const MachinePart> machine_parts();
// Returns the part of this name. Throws std::logic_error if there is none.
const MachinePart& machine_part(std::string_view name);

// Returns the experiment on another machine. If the number of workers changes, the same proportion of them
// runs tasks: all, or every second. Products that were cut for all workers are cut for the new number.
Experiment with_hardware(const Experiment& experiment, const Hardware& hardware);

}  // namespace a3sim
