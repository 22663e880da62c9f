#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sim/network/topologies/tree.h"

namespace a3sim {

// Makes a tree. Notes an error at `key` and returns null if it is too large.
std::unique_ptr<CableLayout> make_tree(const Config& config, std::string_view key,
                                       std::vector<TreeLevel> levels, std::uint32_t copies = 1,
                                       std::vector<std::uint32_t> places = {});

}  // namespace a3sim
