#include "sim/traffic/fitted_experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/core/statistics.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/traffic/traffic_paths.h"
#include "sim/traffic/unevenness.h"

namespace a3sim {
namespace {

constexpr std::uint64_t kWantedSteps = 24;  // twelve of the second half, six of the second quarter

bool is_set(const std::vector<std::string>& set, std::string_view key) {
  return std::ranges::any_of(
      set, [&](const std::string& change) { return change.starts_with(std::string(key) + "="); });
}

std::uint32_t divisor_below(std::uint32_t number, std::uint32_t most) {
  for (std::uint32_t d = std::min(number, most); d > 1; --d)
    if (number % d == 0) return d;
  return 1;
}

class Fitter {
 public:
  Fitter(const TrafficLog& log, const FitOptions& options)
      : log_(log), options_(options), changes_(options.set) {}

  FittedExperiment fit() {
    const bool own = options_.config.empty();
    const std::string config =
        own ? (configs_folder() / "experiments" / "ep8.yaml").string() : options_.config;
    if (own && !is_set(changes_, "experiment.pass")) changes_.emplace_back("experiment.pass=forward");
    const Experiment before = load_experiment(config, changes_);
    if (before.shape.experts() == 0) throw InputError(fmt::format("{}: has no experts to route to", config));
    Experiment experiment = with_experts(before);
    experiment = with_tokens(std::move(experiment));
    experiment.amend([deal = options_.deal](Experiment& fitted) { fitted.routing.deal = deal; });
    measure_layers(experiment);
    const std::uint32_t layer = chosen_layer();
    experiment.amend([layer](Experiment& fitted) { fitted.routing.layer = layer; });
    return {std::move(experiment), std::move(layers_), layer, notes_};
  }

 private:
  Experiment with_experts(const Experiment& before) {
    const MoeShape& shape = before.shape;
    const bool set = is_set(options_.set, "model.experts") || is_set(options_.set, "model.experts_per_rank");
    std::uint32_t experts = log_.experts;
    // Experts that no token has chosen do not show.
    if (log_.meta.experts == 0 && shape.experts() >= log_.experts && (set || !options_.config.empty()))
      experts = shape.experts();
    const std::uint32_t ep =
        is_set(options_.set, "parallel.ep") ? shape.ep : divisor_below(experts, shape.ep);
    if (experts % ep != 0)
      throw InputError(fmt::format("{}: {} experts do not divide by {} ranks: --set parallel.ep={}",
                                   log_.file, experts, ep, divisor_below(experts, ep)));
    if (ep != shape.ep)
      note(fmt::format("The group has {} ranks in place of {}, as the log has {} experts.", ep, shape.ep,
                       experts));
    std::vector<std::string> changes;
    if (ep != shape.ep) changes.push_back(fmt::format("parallel.ep={}", ep));
    if (experts != shape.experts() || ep != shape.ep) {
      Experiment resized = before;
      resized.shape.ep = ep;
      for (std::string& change : changes_to_experts(resized, experts)) changes.push_back(std::move(change));
    }
    if (log_.tokens && log_.top_k != shape.top_k) {
      if (is_set(options_.set, "model.top_k"))
        throw InputError(fmt::format("{}: a token has {} experts, not model.top_k={}", log_.file, log_.top_k,
                                     shape.top_k));
      changes.push_back(fmt::format("model.top_k={}", log_.top_k));
    }
    if (experts != shape.experts() || (log_.tokens && log_.top_k != shape.top_k))
      note(fmt::format(
          "The layer has the log's experts, top-{} of {}, and all other sizes of {}: --set model.hidden and "
          "model.intermediate for another model.",
          log_.tokens ? log_.top_k : shape.top_k, experts, before.name));
    return changes.empty() ? before : before.with(changes);
  }

  Experiment with_tokens(Experiment experiment) {
    const MoeShape& shape = experiment.shape;
    std::uint64_t most = 0;  // tokens of a rank in a step
    if (log_.tokens) {
      std::uint64_t rows = 0;
      for (const auto& [layer, count] : log_.layers) rows = std::max(rows, count);
      most = rows / (shape.ep * kWantedSteps);
    } else {
      std::uint64_t steps = 0;
      for (const auto& [layer, count] : log_.layers) steps += count;
      most = (log_.counted / std::max<std::uint64_t>(steps, 1) + shape.top_k * shape.ep - 1) /
             (shape.top_k * shape.ep);
    }
    const std::uint32_t stated = shape.tokens;
    const bool asked = options_.tokens > 0 || is_set(options_.set, "model.tokens");
    const auto tokens = options_.tokens > 0 ? options_.tokens
                        : asked             ? stated
                                : static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most, 1, stated));
    if (!asked && tokens < stated)
      note(log_.tokens ? fmt::format("A step has {} tokens per rank: with the {} of {} the log has fewer "
                                     "than the {} steps that a decision takes.",
                                     tokens, stated, experiment.name, kWantedSteps)
                       : fmt::format("A step has {} tokens per rank, as it was counted.", tokens));
    if (!log_.tokens && tokens < most)
      note(fmt::format(
          "Counts are scaled to {} tokens per rank from about {}: so few would differ more by chance.",
          tokens, most));
    if (tokens == stated) return experiment;
    return experiment.with(std::vector<std::string>{fmt::format("model.tokens={}", tokens)});
  }

  void measure_layers(const Experiment& experiment) {
    const MoeShape& s = experiment.shape;
    const ChanceRatios chance = chance_ratios(s);
    for (const auto& [layer, dealt] :
         deal_layers(log_, {s.ep, s.tokens, experiment.routing.deal, s.top_k, s.experts()}))
      if (dealt.steps.size() > 1) layers_.push_back({layer, unevenness_of(dealt.steps, s, chance)});
  }

  // Returns the layer that is asked for, or the middle one by its busiest rank.
  std::uint32_t chosen_layer() {
    if (options_.layer) return *options_.layer;
    if (layers_.size() < 2) return layers_.empty() ? log_.layers.begin()->first : layers_.front().layer;
    std::vector<LayerUnevenness> sorted = layers_;
    std::ranges::stable_sort(sorted, {}, [](const LayerUnevenness& l) { return l.unevenness.rank.median; });
    const LayerUnevenness& middle = sorted[sorted.size() / 2];
    note(fmt::format("Layer {} is run, the middle one by its busiest rank (--layer for another).",
                     middle.layer));
    return middle.layer;
  }

  void note(std::string text) { notes_.push_back(std::move(text)); }

  const TrafficLog& log_;
  const FitOptions& options_;
  std::vector<std::string> changes_, notes_;
  std::vector<LayerUnevenness> layers_;
};

}  // namespace

FittedExperiment fit_experiment(const TrafficLog& log, const FitOptions& options) {
  return Fitter(log, options).fit();
}

}  // namespace a3sim
