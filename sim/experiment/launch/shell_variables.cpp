#include "sim/experiment/launch/shell_variables.h"

#include <algorithm>

namespace a3sim {

void append(ShellWord& word, char c, std::uint32_t place) {
  word.text += c;
  word.places.push_back(place);
}

void append(ShellWord& word, const ShellWord& more) {
  word.text += more.text;
  word.places.insert(word.places.end(), more.places.begin(), more.places.end());
}

void ShellVariables::append(const std::string& name, Items items, bool as_items) {
  Items& own = values_[name];
  if (as_items) {
    own.insert(own.end(), items.begin(), items.end());
  } else {
    if (own.empty()) own.emplace_back();
    for (const ShellWord& item : items) a3sim::append(own.front(), item);
  }
}

ShellWord ShellVariables::unknown(std::uint32_t place, std::string why) {
  reasons_.insert_or_assign(place, std::move(why));
  ShellWord word;
  a3sim::append(word, kUnknownPart, place);
  return word;
}

void ShellVariables::settle(ShellWord& word) const {
  for (std::size_t i = word.text.size(); i-- > 0;) {
    if (word.text[i] != kUnknownPart) continue;
    word.place = word.places[i];
    const auto reason = reasons_.find(word.places[i]);
    word.unknown = reason == reasons_.end() ? "a part that is not known" : reason->second;
    word.text.erase(i, 1);
    word.places.erase(word.places.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace a3sim
