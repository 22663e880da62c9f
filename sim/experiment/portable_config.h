#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// A resolved configuration that runs from wherever it is put, if these files stand beside it: those that it
// reads, by names of their own.
struct PortableConfig {
  std::string resolved;
  std::vector<std::pair<std::string, std::string>> files;     // name, contents
  std::vector<std::pair<std::string, std::string>> values{};  // of the configuration, by path
};

// Throws InputError where a file that the experiment was read from cannot be read any more.
PortableConfig portable(const Experiment& experiment);

}  // namespace a3sim
