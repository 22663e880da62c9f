#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/device/hardware.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// By how much a part of the machine gets better, or worse.
struct Improvement {
  double factor = 1;  // positive; rates and sizes times this, times divided by it
  bool free = false;  // durations become 0, and a part of a rate the whole of it, whatever the factor
  std::int64_t everything = 0;  // bytes that an L2 needs to hold all; 0: its size goes by the factor

  // As good as free: rates rise by a factor that leaves nothing to see of what they cost, and stay finite.
  static Improvement to_free(std::int64_t everything);
};

// One thing of the machine, or of the program on it, that an engineer could improve, in the words of the field, and the
// values of configs/hardware/ and configs/programs/ that it stands for.
struct MachinePart {
  std::string_view name;
  std::vector<std::string_view> values;  // their paths: hardware.memory.hbm_read; `*` for any name
  // Every value stays one that a configuration could state, except that cycles may be fractions.
  // Only the hardware, the program, and the cables of the experiment's network change.
  void (*improve)(Experiment&, const Improvement&);
  enum class Kind : std::uint8_t {
    kSingle,
    kWhole,  // carries others with it, as the clock does: it is never named as what binds
    kCount   // of workers: another machine, with other schedules; more of them cannot be free
  } kind = Kind::kSingle;
  // Whether a run uses it, so that the part matters; none: every run does.
  bool (*used_by)(const RunOptions&) = nullptr;

  // Whether the machine has it: some say nothing of copy engines, hosts, and kernels that dispatch.
  bool (*described_by)(const Experiment&) = nullptr;

  bool is_described(const Experiment& experiment) const { return !described_by || described_by(experiment); }
  bool matters_to(const RunOptions& run) const { return !used_by || used_by(run); }
};

// All of them, in the order of the hardware's description.
std::span<const MachinePart> machine_parts();
// By name. Throws std::logic_error for one that does not exist.
const MachinePart& machine_part(std::string_view name);

// The experiment on another machine. Of more workers, or fewer, the same part runs tasks: all, or every second;
// products are cut for as many as run, where they were.
Experiment with_hardware(const Experiment& experiment, const Hardware& hardware);

}  // namespace a3sim
