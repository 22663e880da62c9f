#include "sim/study/summary/known_run.h"

#include <algorithm>
#include <limits>

#include "sim/core/config/config.h"
#include "sim/experiment/configs_folder.h"
#include "sim/study/summary/run_observation.h"

namespace a3sim {
namespace {

void read_bounds(const Config& result, std::vector<KnownPass>& passes) {
  for (const Config& pass : result.maps("passes")) {
    const std::string name = pass.text("pass"), binding = pass.text("binding", "");
    const auto same = [&](const KnownPass& known) { return known.pass->name == name; };
    const auto found = std::ranges::find_if(passes, same);
    if (found == passes.end() || binding.empty() || !pass.has("bounds_ps")) continue;
    constexpr std::int64_t kMostTime = std::int64_t{1} << 50;
    found->binding = binding;
    found->bound = Duration(pass.map("bounds_ps").integer(binding, 0, kMostTime));
  }
}

std::uint32_t read_experts_per_rank(const Config& result) {
  if (!result.has("shape")) return 0;
  const Config shape = result.map("shape");
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return shape.has("experts_per_rank")
             ? static_cast<std::uint32_t>(shape.integer("experts_per_rank", 0, kMost))
             : 0;
}

}  // namespace

Duration KnownRun::total() const {
  Duration sum{};
  for (const KnownPass& pass : passes) sum += pass.latency();
  return sum;
}

KnownRun know(const SavedRun& run, std::string name) {
  KnownRun known{&run, std::move(name), {}, 0};
  const RuleBook rules = read_rules(configs_folder() / "advice");
  for (const TracedPass& pass : run.passes) {
    KnownPass& known_pass = known.passes.emplace_back();
    known_pass.pass = &pass;
    if (!known.traced()) continue;
    known_pass.explained = explain(pass.trace);
    known_pass.advice = advise_on_pass(run, known.passes.size() - 1, rules);
  }
  Diagnostics diagnostics;
  const Config result = Config::load(run.directory / "result.json", {}, diagnostics);
  read_bounds(result, known.passes);
  known.experts_per_rank = read_experts_per_rank(result);
  diagnostics.throw_if_any();
  return known;
}

}  // namespace a3sim
