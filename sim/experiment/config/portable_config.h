#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// A resolved configuration that runs from any folder, together with copies of the files that it reads.
struct PortableConfig {
  std::string resolved;
  std::vector<std::pair<std::string, std::string>> files;     // name, contents
  std::vector<std::pair<std::string, std::string>> values{};  // values of the configuration, by path
};

// Throws InputError if a file that the experiment was read from can no longer be read.
PortableConfig portable(const Experiment& experiment);

}  // namespace a3sim
