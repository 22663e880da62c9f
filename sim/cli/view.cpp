#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/page_server.h"
#include "sim/cli/report_page.h"

namespace a3sim {
namespace {

constexpr const char* kViewExamples =
    "Nothing but the page is served, and to this machine alone; Ctrl-C ends it. The result is read once, at "
    "the start.\n"
    "Examples:\n"
    "  a3sim view result                  prints the address to open\n"
    "  a3sim view sweep.db --port 8080\n"
    "  ssh -L 8080:127.0.0.1:8080 HOST a3sim view result --port 8080    from another machine\n";

struct ViewOptions {
  std::vector<std::string> results;
  int port = 0;
};

void view(const ViewOptions& options) {
  const std::string page = report_page(options.results);
  const PageServer server(options.port);
  std::cout << fmt::format("http://127.0.0.1:{}/\n", server.port()) << std::flush;
  server.serve(page);
}

class View final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<ViewOptions>();
    app.add_option("RESULT", options->results,
                   "what 'a3sim report' takes: runs, imported profiles, or one database of sweeps alone")
        ->required();
    app.add_option("--port", options->port, "of 127.0.0.1; without it any that is free")
        ->check(CLI::Range(1, 65535));
    app.footer(kViewExamples);
    app.callback([options] { view(*options); });
  }
};

A3SIM_REGISTER(Command, "view", "Serve the report of runs or sweeps to a browser on this machine", View);

}  // namespace
}  // namespace a3sim
