#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {

// A registry of objects by name. Files add objects with A3SIM_REGISTER at namespace scope. An Interface names
// its kind for messages: `static constexpr std::string_view kKind = "operator";`. Registered objects are
// immutable and live as long as the program. Link files that register as objects: from a static library the
// linker would drop them.
template <class Interface>
class Registry {
 public:
  struct Item {
    std::string description;
    std::unique_ptr<const Interface> object;
  };

  // Adds `object` under `name` before main starts. A duplicate name ends the program.
  struct Entry {
    Entry(std::string name, std::string description, std::unique_ptr<const Interface> object) {
      const auto [item, added] =
          items().emplace(std::move(name), Item{std::move(description), std::move(object)});
      if (!added) throw std::logic_error(item->first + ": two of the kind " + std::string(Interface::kKind));
    }
  };

  // Returns the registered object, or nullptr.
  static const Interface* find(std::string_view name) {
    const auto it = items().find(name);
    return it == items().end() ? nullptr : it->second.object.get();
  }

  // Returns the registered object. Throws InputError that lists the known names.
  static const Interface& get(std::string_view name) {
    if (const Interface* object = find(name)) return *object;
    throw InputError("unknown " + std::string(Interface::kKind) + " '" + std::string(name) +
                     "'; known: " + known() + meant(name));
  }

  // Returns "; did you mean 'x'?" if a name is similar, or else an empty string.
  static std::string meant(std::string_view name) {
    const std::vector<std::string> all_names = names();
    const std::string_view near = closest(name, all_names);
    return near.empty() ? "" : "; did you mean '" + std::string(near) + "'?";
  }

  // Returns the known names, sorted.
  static std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& [name, item] : items()) names.push_back(name);
    return names;
  }

  // Returns the known names, separated by ", ".
  static std::string known() {
    std::string names;
    for (const auto& [name, item] : items()) names += (names.empty() ? "" : ", ") + name;
    return names;
  }

  // Returns all entries, sorted by name.
  static const std::map<std::string, Item, std::less<>>& all() { return items(); }

 private:
  static std::map<std::string, Item, std::less<>>& items() {
    static std::map<std::string, Item, std::less<>> registered;
    return registered;
  }
};

}  // namespace a3sim

// Registers an object under `name`. The last argument is its type, with constructor arguments if any, as
// after `new`:
//   A3SIM_REGISTER(Operator, "SwiGLU", "silu(gate) * up on the halves of a row", SwiGlu);
#define A3SIM_REGISTER(Interface, name, description, ...) \
  A3SIM_REGISTER_COUNTED(__COUNTER__, Interface, name, description, __VA_ARGS__)
// Expands the counter to a number before it becomes part of a name.
#define A3SIM_REGISTER_COUNTED(number, ...) A3SIM_REGISTER_AS(number, __VA_ARGS__)
#define A3SIM_REGISTER_AS(number, Interface, name, description, ...)              \
  [[maybe_unused]] const ::a3sim::Registry<Interface>::Entry kRegistered##number( \
      name, description, std::unique_ptr<const Interface>(new __VA_ARGS__))
