#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "sim/cli/help.h"
#include "sim/core/registry.h"

namespace a3sim {

// What people come for. `a3sim --help` lists the commands by it, in this order.
enum class CommandGroup { kSimulate, kUnderstand, kPrototype, kReproduce, kDiagnose, kExchange };

// A command of the program, one file each. It is registered by the words that call it:
//   "run"                a command
//   "schedule show"      a sub-command of 'schedule'
//   "explain --whatif"   a mode of 'explain': what runs instead if the option stands anywhere behind 'explain'
// Sub-commands and modes have options and a help of their own, help/schedule_show.txt and help/explain_whatif.txt.
class Command {
 public:
  static constexpr std::string_view kKind = "command";

  // `declare` gives the command's own sub-application its options. `run` does the work: it prints data on stdout,
  // throws Error, and leaves nothing half-written.
  template <class Options>
  Command(CommandGroup group, void (*declare)(CLI::App&, Options&), void (*run)(const Options&))
      : Command(declare, run) {
    group_ = group;
  }

  // A sub-command or a mode, which is listed with the command that it belongs to.
  template <class Options>
  Command(void (*declare)(CLI::App&, Options&), void (*run)(const Options&))
      : set_up_([=](CLI::App& app) {
          const auto options = std::make_shared<Options>();
          declare(app, *options);
          app.callback([=, &app] {
            if (app.get_subcommands().empty()) run(*options);  // else the sub-command has run
          });
        }) {}

  // A command that has sub-commands only.
  explicit Command(CommandGroup group)
      : group_(group), set_up_([](CLI::App& app) { app.require_subcommand(1); }) {}

  // Declares the options on `app`; `name` is what the command is registered under.
  void set_up(CLI::App& app, const std::string& name) const {
    app.footer(help_of(name));
    set_up_(app);
  }

  // Nothing for sub-commands and modes.
  std::optional<CommandGroup> group() const { return group_; }

 private:
  std::optional<CommandGroup> group_;
  std::function<void(CLI::App&)> set_up_;
};

using Commands = Registry<Command>;

}  // namespace a3sim
