#pragma once

#include <string>

#include "sim/sweep/sweep_file.h"

namespace a3sim {

// A sweep over layouts of the model and the dies of a launch script.
struct ScriptOfSweep {
  std::string script, model;  // the script; a config.json for what it leaves out, or empty
};

// Makes the sweep one of the script's training step: its axes stay, and the values that they do not set are the script's.
void take_script(const ScriptOfSweep& from, SweepSpec& spec);

// Returns the script's own step beside the fastest points of the sweep, as the arguments to change in the script.
std::string better_layouts(const ScriptOfSweep& from, const SweepSpec& spec, const std::string& database);

}  // namespace a3sim
