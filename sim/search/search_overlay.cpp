#include "sim/search/search_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sim/core/config/config.h"
#include "sim/core/config/yaml_writer.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {
namespace {

std::string commented(const std::string& text) {
  std::string lines, line;
  std::istringstream input(text);
  while (std::getline(input, line)) lines += line.empty() ? "#\n" : "# " + line + '\n';
  return lines;
}

// Returns the files to include: `base`, laid over hf.yaml if it describes only a model.
std::string includes(const std::filesystem::path& base) {
  const std::string file = std::filesystem::absolute(base).lexically_normal().string();
  if (base.extension() == ".yaml" || base.extension() == ".yml") return fmt::format("[\"{}\"]", file);
  return fmt::format("[\"{}\", \"{}\"]", (configs_folder() / "experiments" / "hf.yaml").string(), file);
}

}  // namespace

std::string overlay_text(const SearchProblem& problem, const Candidate& candidate,
                         const std::filesystem::path& base, std::span<const std::string> overrides,
                         const std::string& title, const std::string& lists) {
  std::vector<std::string> settings;
  for (const std::string& setting : overrides) {
    if (!setting.starts_with("order.") && !setting.starts_with("order=")) settings.push_back(setting);
  }
  const std::vector<std::string> own = problem.settings(candidate);
  settings.insert(settings.end(), own.begin(), own.end());
  std::string text = fmt::format("{}include: {}\n", commented(title), includes(base));
  if (!settings.empty()) {
    Diagnostics diagnostics;
    const Config laid = Config::parse("{}", "overlay", settings, diagnostics);
    diagnostics.throw_if_any();
    text += write_yaml(*laid.tree());
  }
  std::string order = problem.order_text(candidate, lists);
  constexpr std::string_view kOrder = "order:";
  return text + std::string(kOrder) + " !override" + order.substr(kOrder.size());
}

}  // namespace a3sim
