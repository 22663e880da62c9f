#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <charconv>
#include <set>

#include "sim/core/error.h"
#include "sim/describe/idle_keys.h"
#include "sim/describe/key_list.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/result/report.h"
#include "tests/experiment/small_experiment.h"

// Each key of an experiment does something, or is known to have no effect there (sim/describe/idle_keys.h).
namespace a3sim {
namespace {

// All that a run says but for the text of its configuration.
std::string told_by(const Experiment& experiment) {
  const auto work = experiment.work->prepare(experiment, 1);
  const std::vector<RunOutcome> passes = work->run_all(experiment, Record::kTrace, 1);
  const RunSummary summary = run_summary(experiment, *work, passes);
  std::string told = summary.json.is_null() ? summary.text : summary.json.dump();
  for (const RunOutcome& pass : passes)
    for (const NamedFile& file : trace_files(pass)) told += file.contents;
  for (const NamedFile& file : summary.files) told += file.contents;
  return told;
}

std::vector<std::string> scaled(const std::string& value, std::initializer_list<double> factors) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc()) return {};
  std::vector<std::string> texts;
  const std::string unit(end, value.data() + value.size());
  for (const double factor : factors) texts.push_back(fmt::format("{:.10g}{}", number * factor, unit));
  return texts;
}

// Other values that readers accept at a key.
std::vector<std::string> others(const KnownKey& known, const std::string& value) {
  std::vector<std::string> values;
  for (const KeyForm& form : known.forms) {
    std::vector<std::string> more;
    if (form.kind == KeyKind::kBoolean) more = {"true", "false"};
    if (form.kind == KeyKind::kChoice) more = form.names;
    if (form.kind == KeyKind::kInteger) {
      more = scaled(value, {2, 0.5, 4, 0.25});
      for (const char* one : {"1", "2", "3", "0", "8", "64"}) more.emplace_back(one);
    }
    if (form.kind == KeyKind::kNumber) {
      more = scaled(value, {2, 0.5});
      for (const char* one : {"0.3", "0.7", "1.5", "0", "3"}) more.emplace_back(one);
    }
    if (form.kind == KeyKind::kQuantity) {
      more = scaled(value, {2, 0.5, 100, 0.01});
      for (const char* one : {"1 us", "1 GB/s", "1 MiB"}) more.emplace_back(one);
    }
    values.insert(values.end(), more.begin(), more.end());
  }
  std::erase(values, value);
  return values;
}

std::vector<std::string> silent_keys(const Experiment& experiment) {
  std::vector<std::string> silent;
  Diagnostics diagnostics;
  const Config root = Config::from(*experiment.tree, {}, diagnostics);
  static_cast<void>(read_experiment(root, diagnostics));
  const KeyTree tree = root.known();
  const std::vector<ListedKey> keys = listed_keys(tree);
  std::string usual;
  usual = told_by(experiment);
  std::set<std::string> tried;
  const auto look = [&](const std::string& path, const KnownKey& known, const std::string& value) {
    if (!tried.insert(path).second) return;
    if (path.starts_with("hardware.") || path.starts_with("program.")) return;
    std::string last;
    for (const std::string& other : others(known, value)) {
      const std::string change = path + '=' + other;
      std::optional<Experiment> changed;
      try {
        changed = experiment.with(std::span(&change, 1));
      } catch (const Error&) {
        continue;
      }
      last = other;
      const std::vector<IdleKey> idle = idle_keys(*changed);
      if (std::ranges::find(idle, path, &IdleKey::path) != idle.end()) return;
      try {
        if (told_by(*changed) != usual) return;
      } catch (const Error&) {
        return;
      }
    }
    if (!last.empty()) silent.push_back(fmt::format("{}={} (is {})", path, last, value));
  };
  for (const auto& [path, value] : experiment.values) {
    if (const ListedKey* key = find_key(keys, path)) look(path, *key->known, value);
  }
  for (const ListedKey& key : keys)
    if (key.path.find('*') == std::string::npos) look(key.path, *key.known, "");
  return silent;
}

// Values that change nothing of a layer as small as this, whose products are one block, and do of others.
const std::set<std::string> kDoNotBind{"l2.policy", "tiling.blocks", "tiling.l1_buffers", "tiling.order",
                                       "tiling.unit_flag"};
// Values by execution: idle_keys() does not look at names, and those of other executions have no effect.
const std::set<std::string> kOfOthers{"experiment.weight_gradients.kernel", "workers.aiv.dynamic",
                                      "workers.aiv.kernel"};

TEST_CASE("each key of a small layer does something, or is known to have no effect", "[slow]") {
  for (const std::string& key : silent_keys(small())) {
    INFO(key);
    const std::string path = key.substr(0, key.find('='));
    CHECK((kDoNotBind.contains(path) || kOfOthers.contains(path)));
  }
}

}  // namespace
}  // namespace a3sim
