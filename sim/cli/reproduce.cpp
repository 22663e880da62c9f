#include <fmt/format.h>

#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/study/comparison.h"
#include "sim/study/reproduction.h"

namespace a3sim {
namespace {

struct Options {
  std::vector<std::string> names;
  std::vector<std::string> set;
  JsonOption json;
};

std::string footer() {
  std::string text = "Experiments:\n";
  for (const auto& [name, item] : Reproductions::all())
    text += fmt::format("  {:<12} {}\n", name, item.description);
  return text +
         "Examples:\n"
         "  a3sim reproduce                        all of them\n"
         "  a3sim reproduce moe_ffn --json p.json  predicted and published values as JSON\n"
         "  a3sim reproduce moe_ffn --set hardware.memory.hbm='1.6 TB/s'\n";
}

void reproduce(const Options& options) {
  std::vector<std::string> names = options.names;
  if (names.empty()) {
    for (const auto& [name, item] : Reproductions::all()) names.push_back(name);
  }
  for (const std::string& name : names) Reproductions::get(name);
  Setting setting;
  setting.overrides = options.set;
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  std::string text;
  for (const std::string& name : names) {
    const Reproduced result = Reproductions::get(name).run(setting);
    const std::vector<Comparison> comparisons = compare(name, setting, result.points);
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", result.heading, comparison_table(comparisons));
    if (!result.notes.empty()) text += '\n' + result.notes;
    for (auto& point : comparisons_json(name, comparisons)) points.push_back(std::move(point));
  }
  print_result(text, points, options.json);
}

class Reproduce final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<Options>();
    app.add_option("NAME", options->names, "experiments; all without one");
    app.add_option("--set", options->set, "override a value of every configuration; repeatable")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    options->json.add_to(app);
    app.footer(footer());
    app.callback([options] { reproduce(*options); });
  }
};

const Commands::Entry kEntry("reproduce", "Run published experiments on the model and show both values",
                             std::make_unique<Reproduce>());

}  // namespace
}  // namespace a3sim
