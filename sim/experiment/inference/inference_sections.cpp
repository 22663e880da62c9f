#include "sim/experiment/inference/inference_sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/experiment/run/own_values.h"
#include "sim/experiment/step/step_memory.h"

namespace a3sim {
namespace {

std::uint32_t package_of(const Hardware& hardware) {
  const Hardware::Fabric::Level* const package = hardware.fabric.level("package");
  return package ? package->dies : 1;
}

std::string counted(std::uint32_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string where_it_runs(const InferenceOptions& options) {
  std::string text = fmt::format("{}: attention DP {}", counted(options.dies(), "die"), options.ranks());
  if (options.tp > 1) text += fmt::format(", TP {}", options.tp);
  if (options.cp > 1) text += fmt::format(", CP {}", options.cp);
  if (options.attention_dies > 0) text += fmt::format(" on {} dies", options.attention_dies);
  text += fmt::format(", experts EP {}", options.ep);
  if (options.idle > 0)
    text += fmt::format("; {} ranks without requests, {}", options.idle, options.padded ? "padded" : "empty");
  return text;
}

std::string what_it_takes(const InferenceOptions& options) {
  if (options.phase == InferencePhase::kPrefill)
    return fmt::format("{} of {} tokens per rank", counted(options.batch, "request"), options.context);
  std::string text =
      fmt::format("{} per rank, context {}", counted(options.batch, "request"), options.context);
  if (!options.lengths.empty())
    text += fmt::format(" in the mean, on the busiest rank {} to {} and {:.2f} times the mean",
                        options.lengths.back(), options.lengths.front(), options.longest);
  if (options.drafts > 0)
    text += fmt::format(", {} of which {} {} accepted", counted(options.drafts, "draft"), options.accepted,
                        options.drafts == 1 ? "is" : "are");
  return text;
}

std::string inference_answer(const Experiment& experiment, const PreparedInference& prepared,
                             const InferenceFigures& figures) {
  const InferenceOptions& options = prepared.plan.options;
  const std::uint32_t package = package_of(experiment.hardware);
  const bool prefill = options.phase == InferencePhase::kPrefill;
  return fmt::format(
             "step      {:.3f} ms{}, {:.0f} tokens/s per die{}\nmodel     {}, {}: {}\nmachine   {}, {}\n"
             "kernels   {:.0f} by {}{}{}; weights {}, experts {}{}\n",
             milliseconds(figures.time),
             prefill ? "" : fmt::format(", {:.3f} ms per output token", milliseconds(figures.token)),
             figures.tokens_a_die,
             package > 1 ? fmt::format(" ({:.0f} per package)", figures.tokens_a_die * package) : "",
             prepared.plan.model.name, name_of(options.phase), what_it_takes(options),
             experiment.hardware.name, where_it_runs(options), figures.launches,
             options.launched == LaunchedBy::kGraph ? "a graph" : "the host",
             options.micro_batches > 1 ? fmt::format(", in {} micro-batches", options.micro_batches) : "",
             options.core_share < 1 ? fmt::format(", each on {:.0f} % of the cores", 100 * options.core_share)
                                    : "",
             name_of(options.weights), name_of(options.experts),
             options.experts_by == ExpertKernels::kMegaMoe ? ", in one kernel (MegaMoE)" : "") +
         own_values(experiment);
}

void add_inference_figures(const Experiment& experiment, const PreparedInference& prepared,
                           const InferenceFigures& figures, Report& report) {
  report.fact("method", std::string(name_of(prepared.plan.options.phase)))
      .fact("step_ps", figures.time)
      .fact("tpot_ps", figures.token)
      .fact("tokens_per_second_per_die", figures.tokens_a_die)
      .fact("tokens_per_second_per_package", figures.tokens_a_die * package_of(experiment.hardware))
      .fact("kernels", figures.launches)
      .fact("peak_memory_bytes", prepared.memory.total())
      .fact("largest_batch", static_cast<double>(figures.largest_batch))
      .fact("busiest_over_mean", prepared.over_mean);
}

std::string class_text(TimeClass kind) {
  if (kind == TimeClass::kRest) return "launches and gaps";
  if (kind == TimeClass::kAttention) return "attention and its cache";
  if (kind == TimeClass::kBubble) return "waiting for experts";
  return std::string(name_of(kind));
}

void add_inference_classes(const InferenceFigures& figures, Report& report) {
  Table& table =
      report.table("classes", {Column::words("time of a die", "class"), Column::milliseconds("ms", "mean_ps"),
                               Column::percent("of step", "share")});
  for (std::uint32_t c = 0; c < kTimeClasses; ++c) {
    if (figures.classes[c] == Duration::zero()) continue;
    table.add({class_text(static_cast<TimeClass>(c)), figures.classes[c],
               seconds(figures.classes[c]) / seconds(figures.time)});
  }
}

void add_inference_kernels(const InferenceFigures& figures, Report& report) {
  Table& table = report.table(
      "kernels_of_step",
      {Column::words("kernel"), Column::number("runs", "runs", 0), Column::microseconds("each us", "each_ps"),
       Column::milliseconds("all ms", "all_ps"), Column::percent("of step", "share"),
       Column::mega("weights MB", "weights_bytes"), Column::mega("cache MB", "cache_bytes"),
       Column::mega("sent MB", "sent_bytes"), Column::words("bound by", "bound")});
  std::map<std::string, Duration> by_bound;
  for (const KernelAccount& kernel : figures.kernels) {
    by_bound[kernel.bound] += kernel.time;
    table.add({kernel.name, kernel.runs,
               Duration(kernel.time.count() / static_cast<std::int64_t>(kernel.runs)), kernel.time,
               seconds(kernel.time) / seconds(figures.time), kernel.weights / kernel.runs,
               kernel.cache / kernel.runs, kernel.sent / kernel.runs, kernel.bound});
  }
  std::vector<std::pair<Duration, std::string>> ranked;
  for (const auto& [bound, time] : by_bound) ranked.emplace_back(time, bound);
  std::ranges::sort(ranked, std::ranges::greater());
  std::string text = "Kernels are bound by";
  for (std::size_t i = 0; i < ranked.size(); ++i)
    text +=
        fmt::format("{} {} ({:.1f} ms)", i > 0 ? "," : "", ranked[i].second, milliseconds(ranked[i].first));
  report.say(text + ".\n", "bound_by");
}

void add_inference_memory(const PreparedInference& prepared, const InferenceFigures& figures,
                          Report& report) {
  const InferenceMemory& memory = prepared.memory;
  const auto gibibytes = [](const char* head, const char* key) { return Column::number(head, key, 2); };
  Table& table =
      report.table("memory", {gibibytes("attention GiB", "attention_gib"), gibibytes("dense", "dense_gib"),
                              gibibytes("shared, router", "shared_gib"), gibibytes("experts", "experts_gib"),
                              gibibytes("embedding, head", "ends_gib"), gibibytes("cache", "cache_gib"),
                              gibibytes("buffers", "buffers_gib"), gibibytes("reserved", "reserved_gib"),
                              gibibytes("in all", "total_gib")});
  table.add({memory.attention / kGibibyte, memory.dense / kGibibyte, memory.shared / kGibibyte,
             memory.experts / kGibibyte, memory.ends / kGibibyte, memory.cache / kGibibyte,
             memory.buffers / kGibibyte, memory.reserved / kGibibyte, memory.total() / kGibibyte});
  const double capacity = static_cast<double>(prepared.plan.options.capacity.count);
  report.say(fmt::format(
      "A die has {:.0f} GiB (inference.capacity){}; {}.\n", capacity / kGibibyte,
      memory.total() > capacity ? ", and this needs more: it would not run like this" : "",
      figures.largest_batch > 0
          ? fmt::format("a batch of {} requests per rank is the largest that fits", figures.largest_batch)
          : std::string("no batch fits")));
}

// Names the values of the configuration that are assumed, as the answer rests on them.
void add_assumed(const Experiment& experiment, Report& report) {
  if (!experiment.tree) return;
  Diagnostics ignored;
  const Config root = Config::from(*experiment.tree, {}, ignored);
  std::vector<std::string> assumed;
  for (const char* block : {"inference", "model"})
    for (const SourcedValue& value : root.map(block).sourced())
      if (value.source.starts_with("assumed")) assumed.push_back(value.path + '=' + value.value);
  if (root.map("model").text("source", "").starts_with("assumed")) assumed.push_back("the model's sizes");
  if (!assumed.empty())
    report.say(fmt::format("The answer rests on values that are assumed: {}.\n", fmt::join(assumed, ", ")),
               "assumed");
}

}  // namespace

OwnSections inference_sections(const Experiment& experiment, const PreparedInference& prepared,
                               const InferenceFigures& figures) {
  OwnSections own;
  own.head = inference_answer(experiment, prepared, figures);
  add_inference_figures(experiment, prepared, figures, own.before);
  add_inference_classes(figures, own.before);
  add_inference_kernels(figures, own.before);
  add_inference_memory(prepared, figures, own.before);
  if (prepared.over_mean > 1)
    own.before.say(fmt::format(
        "The busiest rank of experts has {:.2f} times the mean of rows; all others wait for it.\n",
        prepared.over_mean));
  add_assumed(experiment, own.before);
  return own;
}

}  // namespace a3sim
