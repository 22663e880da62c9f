#include <fmt/format.h>

#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/study/reproduction.h"

namespace a3sim {
namespace {

struct Options {
  std::vector<std::string> names;
  JsonOption json;
};

std::string known_experiments() {
  std::string text = "Experiments:\n";
  for (const auto& [name, item] : Reproductions::all())
    text += fmt::format("  {:<12} {}\n", name, item.description);
  return text +
         "Examples:\n"
         "  a3sim reproduce                        all of them\n"
         "  a3sim reproduce moe_ffn --json p.json  predicted and published values as JSON\n";
}

void reproduce(const Options& options) {
  std::vector<std::string> names = options.names;
  if (names.empty()) {
    for (const auto& [name, item] : Reproductions::all()) names.push_back(name);
  }
  for (const std::string& name : names) Reproductions::get(name);
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  std::string text;
  for (const std::string& name : names) {
    const Reproduced result = Reproductions::get(name).run(configs_folder());
    text += (text.empty() ? "" : "\n") + result.text;
    for (auto& point : points_json(name, result.points)) points.push_back(std::move(point));
  }
  print_result(text, points, options.json);
}

class Reproduce final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<Options>();
    app.add_option("NAME", options->names, "experiments; all without one");
    options->json.add_to(app);
    app.footer(known_experiments());
    app.callback([options] { reproduce(*options); });
  }
};

const Commands::Entry kEntry("reproduce", "Run published experiments on the model and show both values",
                             std::make_unique<Reproduce>());

}  // namespace
}  // namespace a3sim
