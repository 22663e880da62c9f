#pragma once

#include <CLI/CLI.hpp>

#include "sim/core/registry.h"

namespace a3sim {

// A command of the program; one file each, registered by name.
class Command {
 public:
  static constexpr std::string_view kKind = "command";
  virtual ~Command() = default;
  // Gives `app`, the command's own sub-application, its options and the callback that does the work.
  // The callback prints data on stdout, throws Error, and leaves nothing half-written.
  virtual void set_up(CLI::App& app) const = 0;
};

using Commands = Registry<Command>;

}  // namespace a3sim
