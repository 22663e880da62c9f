#include "sim/published/step_figure.h"

#include <fmt/format.h>

#include "sim/core/error.h"

namespace a3sim {
namespace {

// Model FLOPs over the peak, of the published steps of Qwen3-8B: 512.7 TFLOPS of 989 on H100s (Megatron-Bridge 067f987);
// 7617 tokens/s per package on A3 (MindSpeed-LLM c77308a), of 4.90e10 model FLOPs each.
constexpr double kUtilisationH100 = 512.7 / 989.4;
constexpr double kTokensA3 = 7617.002, kFlopsA3 = 4.90e10;

double part_of_step(Duration part, const StepFigures& figures) {
  return seconds(part) / seconds(figures.time);
}

double hidden_part(const ExchangeAccount& account) {
  return account.total > Duration::zero() ? seconds(account.hidden()) / seconds(account.total) : 0;
}

// Profilers of GPUs count what runs beside products or attention as hidden.
double beside_products(const ExchangeAccount& account) {
  if (account.total == Duration::zero()) return 0;
  return seconds(account.hidden_by[0] + account.hidden_by[1] + account.hidden_by[2]) / seconds(account.total);
}

double utilisation(const StepScale& scale) {
  return scale.h100 ? kUtilisationH100 : kTokensA3 / 2 * kFlopsA3 / scale.peak;
}

double formula_time(const StepScale& scale) {
  return scale.tokens * scale.model_flops / (scale.dies * scale.peak * utilisation(scale));
}

}  // namespace

StepScale scale_of(const Experiment& experiment) {
  const TrainingPlan& plan = training_plan_of(experiment);
  const Hardware& hardware = experiment.hardware;
  const Hardware::Fabric::Level* const package = hardware.fabric.level("package");
  StepScale scale;
  scale.dies = plan.step.dies();
  scale.package = package ? package->dies : 1;
  scale.tokens = plan.step.tokens();
  scale.model_flops = model_flops(plan.model, plan.step.block_layout());
  scale.peak = 2.0 * hardware.cube.macs_per_cycle_16 * hardware.workers.count(CoreUnit::kMatrix) *
               static_cast<double>(hardware.clock.count);
  scale.h100 = !package && hardware.stack == "cuda";
  return scale;
}

double step_figure(const std::string& metric, const std::string& unit,
                   const nlohmann::ordered_json& coordinates, const StepFigures& figures,
                   const StepScale& scale) {
  const auto& ep = figures.exchanges[static_cast<std::size_t>(ExchangeFor::kEp)];
  const auto of_class = [&](TimeClass kind) { return part_of_step(at(figures.classes, kind), figures); };
  if (metric == "step_time") return seconds(figures.time);
  if (metric == "gpu_active") return seconds(figures.active);
  if (metric == "kernels") return figures.kernels;
  if (metric == "tokens_per_second_per_package") return figures.tokens_a_die * scale.package;
  if (metric == "tokens_per_second_per_device") return figures.tokens_a_die;
  if (metric == "model_tflops_per_gpu") return figures.model_tflops;
  // Megatron counts memory in these MB.
  if (metric == "peak_memory") return figures.peak_memory / (unit == "GiB" ? 0x1p30 : 0x1p20);
  if (metric == "mac_ratio") return figures.mac_ratio;
  if (metric == "gmm_share") return of_class(TimeClass::kGrouped);
  if (metric == "vector_critical_path_share") return of_class(TimeClass::kVector);
  if (metric == "ep_share_total") return part_of_step(ep.total, figures);
  if (metric == "ep_share_exposed") return of_class(TimeClass::kEp);
  if (metric == "tp_dp_cp_exposed_share_at_most") return of_class(TimeClass::kTp) + of_class(TimeClass::kDp);
  if (metric == "ep_exposed_fraction") return 1 - hidden_part(ep);
  if (metric == "ep_hidden_fraction") {
    const std::string part = coordinates.contains("part") ? coordinates["part"].get<std::string>() : "";
    if (scale.h100) return beside_products(ep);
    return part == "steady" ? hidden_part(figures.paired)
           : part.empty()   ? hidden_part(ep)
                            : hidden_part(figures.unpaired);
  }
  throw InputError(fmt::format("{}: no figure of a training step", metric));
}

std::optional<double> step_formula(const std::string& metric, const StepScale& scale) {
  if (metric == "step_time" || metric == "gpu_active") return formula_time(scale);
  if (metric == "model_tflops_per_gpu") return scale.peak * utilisation(scale) * 1e-12;
  const double tokens = scale.tokens / formula_time(scale) / scale.dies;
  if (metric == "tokens_per_second_per_package") return tokens * scale.package;
  if (metric == "tokens_per_second_per_device") return tokens;
  return std::nullopt;
}

std::optional<double> step_formula_ratio(const std::string& metric) {
  // Recomputing adds a forward pass: 4 instead of 3.
  return metric == "recompute_cost" ? 4.0 / 3.0 : 1.0;
}

}  // namespace a3sim
