#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// What a saved run says about a pass beside its trace.
struct SavedBounds {
  std::string pass;
  Duration bound{};     // the largest lower bound; zero: none was written
  std::string binding;  // which it is: cube, vector, HBM, link, path
};

// Of a directory that read_run has read.
std::vector<SavedBounds> read_bounds(const std::filesystem::path& directory);

}  // namespace a3sim
