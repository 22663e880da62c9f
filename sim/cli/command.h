#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "sim/cli/help.h"
#include "sim/core/registry.h"

namespace a3sim {

// A command of the program; one file each, registered by name. Its options are a struct of its own.
class Command {
 public:
  static constexpr std::string_view kKind = "command";

  // `declare` gives the command's own sub-application its options. `run` does the work: it prints data on stdout,
  // throws Error, and leaves nothing half-written.
  template <class Options>
  Command(void (*declare)(CLI::App&, Options&), void (*run)(const Options&))
      : set_up_([=](CLI::App& app) {
          const auto options = std::make_shared<Options>();
          declare(app, *options);
          app.callback([=] { run(*options); });
        }) {}

  // As the sub-application `app`, with its help.
  void set_up(CLI::App& app) const {
    app.footer(help_of(app.get_name()));
    set_up_(app);
  }

 private:
  std::function<void(CLI::App&)> set_up_;
};

using Commands = Registry<Command>;

}  // namespace a3sim
