#include "sim/study/published/setting.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/study/published/reference.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// Those of the values that the configuration takes from the file they are stated in.
std::vector<std::string> overrides_of(const std::vector<Setting::Stated>& stated, const fs::path& file) {
  std::vector<std::string> overrides;
  if (stated.empty()) return overrides;
  Diagnostics diagnostics;
  for (const SourcedValue& value : Config::load(file, {}, diagnostics).map("hardware").sourced()) {
    for (const Setting::Stated& instead : stated) {
      if (value.path == instead.path &&
          fs::weakly_canonical(value.mark.file) == fs::weakly_canonical(instead.file))
        overrides.push_back(fmt::format("{}={}", instead.path, instead.value));
    }
  }
  return overrides;
}

}  // namespace

bool Setting::leaves_open(const std::string& override) const {
  const auto key_of = [](const std::string& text) { return text.substr(0, text.find('=')) + '.'; };
  const std::string key = key_of(override);
  return std::ranges::none_of(overrides, [&](const std::string& other) {
    const std::string others = key_of(other);
    return others.starts_with(key) || key.starts_with(others);
  });
}

Experiment Setting::load(const std::string& name, const std::vector<std::string>& own) const {
  const fs::path file = configs / "experiments" / (name + ".yaml");
  if (!std::filesystem::is_directory(configs)) {
    throw InputError(fmt::format(
        "{} is not a directory: are the configurations elsewhere? A3SIM_CONFIGS names it", configs.string()));
  }
  for (const std::string& key : own) {
    if (leaves_open(key)) continue;
    throw InputError(
        fmt::format("--set: the reproduction itself sets {}; for another value use 'a3sim run {}'",
                    key.substr(0, key.find('=')), file.string()));
  }
  // Reproductions run beside one another in threads, where SimGrid cannot.
  std::vector<std::string> all{"network.backend=native"};
  all.insert(all.end(), own.begin(), own.end());
  for (std::string& override : overrides_of(stated, file)) all.push_back(std::move(override));
  all.insert(all.end(), overrides.begin(), overrides.end());
  return load_experiment(file, all);
}

bool Setting::wants(const nlohmann::ordered_json& kase) const {
  return !cases || std::any_of(cases->begin(), cases->end(),
                               [&](const nlohmann::ordered_json& wanted) { return same_case(wanted, kase); });
}

}  // namespace a3sim
