#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/key_form.h"

namespace a3sim {

// A key and its whole path; '*' stands for names that users give and for positions in lists.
struct ListedKey {
  std::string path;
  const KnownKey* known = nullptr;
  std::string expected() const;  // what is taken there, in words
  std::string fallback() const;  // what holds without it; empty: it must stand, or depends on the rest
};

// All that hold a value, sorted. They point into the tree.
std::vector<ListedKey> listed_keys(const KeyTree& tree);
// The key of a path as users write it, with names and positions; nullptr where there is none.
const ListedKey* find_key(const std::vector<ListedKey>& keys, std::string_view path);
// "; did you mean 'x'?": keys that end so, or the closest one; empty where none is near.
std::string meant_key(const std::vector<ListedKey>& keys, std::string_view path);

}  // namespace a3sim
