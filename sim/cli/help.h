#pragma once

#include <fmt/format.h>

#include <string>

namespace a3sim {

// Returns what --help says below a command's options: help/COMMAND.txt, with `list` in place of its line {list}. Empty
// if the command has no such file.
std::string help_of(const std::string& command, const std::string& list = "");

// A line for each of what is registered: its name in so many columns, and what it is.
template <class Registry>
std::string lines_of(int columns) {
  std::string lines;
  for (const auto& [name, item] : Registry::all())
    lines += fmt::format("  {:<{}} {}\n", name, columns, item.description);
  return lines;
}

}  // namespace a3sim
