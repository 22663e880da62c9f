#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sim/network/topologies/tree.h"

namespace a3sim {

// A tree of a size that can be held; notes an error at `key` and returns null for a larger one.
std::unique_ptr<CableLayout> make_tree(const Config& config, std::string_view key,
                                       std::vector<TreeLevel> levels, std::uint32_t copies = 1,
                                       std::vector<std::uint32_t> places = {});

}  // namespace a3sim
