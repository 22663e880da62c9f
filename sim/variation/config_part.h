#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/variation/variation.h"

namespace a3sim {

// A key whose values in two configurations differ. Empty: the key is not there.
struct ConfigDifference {
  std::string path, a, b;
};

// Returns the keys at which two resolved configurations differ, in the order of A's keys, then B's. Ignores
// names and remarks.
std::vector<ConfigDifference> config_differences(const std::filesystem::path& a,
                                                 const std::filesystem::path& b);

// A part of a configuration that can be taken from another one as a whole.
struct ConfigPart {
  std::string name;                // "links"
  std::vector<std::string> paths;  // keys that belong to it, with all keys below them
};

// Returns all parts, those of configs/parts.yaml. A key belongs to the part that names most of its path, or to none.
// `*` in a path stands for any name.
const std::vector<ConfigPart>& config_parts();
// Returns the position of the part that a key belongs to, or config_parts().size() if none.
std::size_t part_of(std::string_view path);

// A part in which two configurations differ.
struct DifferentPart {
  std::size_t part;  // config_parts().size(): of no part
  std::vector<ConfigDifference> differences;
};
// Returns the parts in which two resolved configurations differ. Shares of products that are the number of cubes in both
// belong to the number of workers, which they follow.
std::vector<DifferentPart> different_parts(const std::filesystem::path& a, const std::filesystem::path& b);

// Returns the experiment of configuration B with one part of A's, as a variation of B's.
Variation part_taken(const std::filesystem::path& a, const std::filesystem::path& b,
                     const DifferentPart& different);

}  // namespace a3sim
