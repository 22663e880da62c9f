#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "sim/cli/help.h"
#include "sim/core/registry.h"

namespace a3sim {

// The purpose of a command. `a3sim --help` lists the commands by it, in this order.
enum class CommandGroup { kSimulate, kUnderstand, kPrototype, kReproduce, kDiagnose, kExchange };

// A command of the program. Each is one file. It is registered by the words that call it:
//   "run"                a command
//   "schedule show"      a sub-command of 'schedule'
//   "explain --whatif"   a mode of 'explain': what runs instead if the option stands anywhere behind 'explain'
// Sub-commands and modes have their own options and help: help/schedule_show.txt, help/explain_whatif.txt.
class Command {
 public:
  static constexpr std::string_view kKind = "command";

  // `declare` adds the command's options to its sub-application. `run` does the work: it prints data on
  // stdout, throws Error, and leaves no half-written file.
  template <class Options>
  Command(CommandGroup group, void (*declare)(CLI::App&, Options&), void (*run)(const Options&))
      : Command(declare, run) {
    group_ = group;
  }

  // Makes a sub-command or a mode, which is listed with the command that it belongs to.
  template <class Options>
  Command(void (*declare)(CLI::App&, Options&), void (*run)(const Options&))
      : set_up_([=](CLI::App& app) {
          const auto options = std::make_shared<Options>();
          declare(app, *options);
          app.callback([=, &app] {
            if (app.get_subcommands().empty()) run(*options);  // else the sub-command has run
          });
        }) {}

  // Makes a command that only has sub-commands.
  explicit Command(CommandGroup group)
      : group_(group), set_up_([](CLI::App& app) { app.require_subcommand(1); }) {}

  // Declares the options on `app`. `name` is the name under which the command is registered.
  void set_up(CLI::App& app, const std::string& name) const {
    app.footer(help_of(name));
    set_up_(app);
  }

  // Returns nullopt for sub-commands and modes.
  std::optional<CommandGroup> group() const { return group_; }

 private:
  std::optional<CommandGroup> group_;
  std::function<void(CLI::App&)> set_up_;
};

using Commands = Registry<Command>;

}  // namespace a3sim
