#include "sim/published/scenario.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/config/config.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInclude = "include=";

std::string including(const fs::path& experiment, const std::string& laid_over) {
  return fmt::format("include: [\"{}\"{}]\n", experiment.string(), laid_over);
}

// Returns overrides for those values that the configuration takes from the file in which they stand.
std::vector<std::string> overrides_of(const std::vector<Scenario::HardwareValue>& values,
                                      const fs::path& experiment, const std::string& laid_over) {
  std::vector<std::string> overrides;
  if (values.empty()) return overrides;
  Diagnostics diagnostics;
  const Config root = Config::parse(including(experiment, laid_over), experiment.string(), {}, diagnostics);
  for (const SourcedValue& known : sourced_values(root)) {
    for (const Scenario::HardwareValue& instead : values) {
      if (known.path == instead.path &&
          fs::weakly_canonical(known.mark.file) == fs::weakly_canonical(instead.file))
        overrides.push_back(fmt::format("{}={}", instead.path, instead.value));
    }
  }
  return overrides;
}

}  // namespace

bool Scenario::leaves_open(const std::string& override) const {
  const auto key_of = [](const std::string& text) { return text.substr(0, text.find('=')) + '.'; };
  const std::string key = key_of(override);
  return std::ranges::none_of(overrides, [&](const std::string& other) {
    const std::string others = key_of(other);
    return others.starts_with(key) || key.starts_with(others);
  });
}

fs::path Scenario::file(const std::string& name) const {
  return name.ends_with(".yaml") ? fs::path(name) : configs / "experiments" / (name + ".yaml");
}

Experiment Scenario::load(const std::string& name, const std::vector<std::string>& own) const {
  const fs::path file = this->file(name);
  std::string laid_over;
  // Predictions run in several threads, which SimGrid cannot.
  std::vector<std::string> all{"network.backend=native"};
  for (const std::string& value : own) {
    if (!leaves_open(value)) {
      throw InputError(
          fmt::format("--set: the reproduction itself sets {}; for another value use 'a3sim run {}'",
                      value.substr(0, value.find('=')), file.string()));
    }
    if (value.starts_with(kInclude))
      laid_over += fmt::format(", \"{}\"", (configs / "published" / value.substr(kInclude.size())).string());
    else
      all.push_back(value);
  }
  for (std::string& override : overrides_of(hardware_values, file, laid_over))
    all.push_back(std::move(override));
  all.insert(all.end(), overrides.begin(), overrides.end());
  if (laid_over.empty()) return load_experiment(file, all);
  return parse_experiment(including(file, laid_over), file.string(), all);
}

}  // namespace a3sim
