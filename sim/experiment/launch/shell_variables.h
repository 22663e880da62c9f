#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment/launch/shell.h"

namespace a3sim {

// Stands in a text for a part that is not known; the character's place tells why (ShellVariables::unknown()).
inline constexpr char kUnknownPart = '\x01';

// The variables of a script while it is read. A scalar has one item.
class ShellVariables {
 public:
  using Items = std::vector<ShellWord>;

  // Returns nullptr for a variable that is not set.
  const Items* find(std::string_view name) const {
    const auto it = values_.find(name);
    return it == values_.end() ? nullptr : &it->second;
  }
  void set(std::string name, Items items) { values_.insert_or_assign(std::move(name), std::move(items)); }
  void append(const std::string& name, Items items, bool as_items);

  // Returns a text of one unknown part at this place.
  ShellWord unknown(std::uint32_t place, std::string why);
  // Moves what is unknown of a finished word from its text to `unknown`.
  void settle(ShellWord& word) const;

 private:
  std::map<std::string, Items, std::less<>> values_;
  std::map<std::uint32_t, std::string> reasons_;  // by place of the unknown part
};

// Appends characters with their places.
void append(ShellWord& word, const ShellWord& more);
void append(ShellWord& word, char c, std::uint32_t place);

}  // namespace a3sim
