#include "sim/experiment/inference/inference_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/core/whole_time.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kLaunchStream = 0, kAttentionDie = 0, kExpertDie = 1;

class InferenceWriter {
 public:
  InferenceWriter(const InferencePlan& plan, const Hardware& hardware, const InferenceLayers& layers)
      : options_(plan.options), hardware_(hardware), layers_(layers), last_(options_.micro_batches) {
    StreamProgram& program = written_.program;
    program.ranks = apart() ? 2 : 1;
    for (const WorkerKind& kind : hardware.workers) program.kinds.push_back({kind.name, kind.count, false});
    host_kind_ = static_cast<std::uint32_t>(program.kinds.size());
    program.kinds.push_back({"HOST", 1, true});
    program.streams.push_back("HOST");
    for (std::uint32_t m = 0; m < options_.micro_batches; ++m) {
      program.streams.push_back(fmt::format("MAIN{}", m));
      program.streams.push_back(fmt::format("BESIDE{}", m));
    }
    slowness_ = slowness();
    written_.dies = {0};
    if (apart()) written_.dies.push_back(options_.attention_dies);
    number_kernels();
  }

  InferenceProgram take() {
    for (const std::uint32_t kind : layers_.order)
      for (std::uint32_t m = 0; m < options_.micro_batches; ++m) write(kind, m);
    return std::move(written_);
  }

 private:
  using After = std::vector<std::uint32_t>;
  struct Numbers {
    std::uint32_t before = 0, beside = 0, dispatch = 0, experts = 0, combine = 0, behind = 0;
  };

  bool apart() const { return options_.attention_dies > 0; }

  // Returns the factor by which kernels take longer: that of those beside the host's exchanges, for the part of their time in
  // which one of another micro-batch goes on.
  double slowness() const {
    if (options_.micro_batches < 2 || options_.interference <= 1) return 1;
    Duration exchanges{}, kernels{};
    for (const std::uint32_t kind : layers_.order) {
      const LayerKernels& layer = layers_.kinds[kind];
      for (const auto* const part :
           {&layer.before, &layer.beside, &layer.dispatch, &layer.experts, &layer.combine, &layer.behind})
        for (const InferenceKernel& kernel : *part)
          (kernel.holds_cores ? kernels : exchanges) += kernel.alone();
    }
    if (kernels == Duration::zero()) return 1;
    return 1 + (options_.interference - 1) * std::min(1.0, seconds(exchanges) / seconds(kernels));
  }

  void number_kernels() {
    for (const LayerKernels& layer : layers_.kinds) {
      const auto take = [&](const std::vector<InferenceKernel>& kernels) {
        const auto first = static_cast<std::uint32_t>(written_.kernels.size());
        written_.kernels.insert(written_.kernels.end(), kernels.begin(), kernels.end());
        return first;
      };
      numbers_.push_back({take(layer.before), take(layer.beside), take(layer.dispatch), take(layer.experts),
                          take(layer.combine), take(layer.behind)});
    }
  }

  std::uint32_t units(const InferenceKernel& kernel, std::uint32_t kind) const {
    if (!kernel.holds_cores) return 0;
    return std::max(
        1U, static_cast<std::uint32_t>(std::lround(hardware_.workers[kind].count * options_.core_share)));
  }

  std::uint32_t add(std::uint32_t number, std::uint32_t rank, std::uint32_t stream, const After& after) {
    const InferenceKernel& kernel = written_.kernels[number];
    StreamTask task{.name = kernel.name, .rank = RankId{rank}, .stream = stream, .after = after};
    if (options_.launched == LaunchedBy::kHost) {
      StreamTask launch{.name = "Launch", .rank = RankId{rank}, .stream = kLaunchStream};
      launch.kind = host_kind_;
      launch.units = 1;
      launch.hold = options_.launch.host;
      task.after.push_back(written_.program.add(std::move(launch)));
      written_.kernel_of.push_back(kNone);
    }
    task.wait = options_.launch.gap;
    task.kind = hardware_.workers.queue_for(kernel.matrix ? CoreUnit::kMatrix : CoreUnit::kVector);
    task.units = units(kernel, task.kind);
    task.matrix = kernel.matrix;
    task.macs = kernel.flops / 2;
    task.hold = kernel.head + kernel.barriers;
    if (kernel.job.ideal > Duration::zero()) task.job = kernel.job;
    if (kernel.holds_cores && slowness_ > 1)
      task.job.ideal = Duration(whole_picoseconds(static_cast<double>(task.job.ideal.count()) * slowness_));
    if (!kernel.whole) task.transfers = kernel.transfers;
    for (StreamTransfer& transfer : task.transfers) transfer.dst = RankId{rank};
    written_.kernel_of.push_back(number);
    return written_.program.add(std::move(task));
  }

  // Adds kernels that follow one another, behind `after`. Returns the last one.
  After add(std::uint32_t first, std::size_t count, std::uint32_t rank, std::uint32_t stream, After after) {
    for (std::uint32_t k = 0; k < count; ++k) after = {add(first + k, rank, stream, after)};
    return after;
  }

  void write(std::uint32_t kind, std::uint32_t micro_batch) {
    const LayerKernels& layer = layers_.kinds[kind];
    const Numbers& own = numbers_[kind];
    // Dies that are apart take the micro-batches in turn, so that each die works on one while rows of others are on their way.
    const std::uint32_t first = 1 + 2 * micro_batch, main = apart() ? 1 : first,
                        exchange = apart() ? first + 1 : first, beside = apart() ? main : first + 1;
    After& last = last_[micro_batch];
    last = add(own.before, layer.before.size(), kAttentionDie, main, std::move(last));
    const bool alongside = layer.needs_beside || options_.shared_beside;
    if (!alongside) last = add(own.beside, layer.beside.size(), kAttentionDie, main, std::move(last));
    After rows = add(own.dispatch, layer.dispatch.size(), kAttentionDie, exchange, last);
    After meanwhile = last;
    if (alongside) meanwhile = add(own.beside, layer.beside.size(), kAttentionDie, beside, last);
    const std::uint32_t die = apart() ? kExpertDie : kAttentionDie;
    rows = add(own.experts, layer.experts.size(), die, main, std::move(rows));
    rows = add(own.combine, layer.combine.size(), die, exchange, std::move(rows));
    if (alongside && !layer.beside.empty()) rows.insert(rows.end(), meanwhile.begin(), meanwhile.end());
    last = add(own.behind, layer.behind.size(), kAttentionDie, main, std::move(rows));
  }

  const InferenceOptions& options_;
  const Hardware& hardware_;
  const InferenceLayers& layers_;
  std::vector<After> last_;  // by micro-batch
  std::vector<Numbers> numbers_;
  std::uint32_t host_kind_ = 0;
  double slowness_ = 1;
  InferenceProgram written_;
};

}  // namespace

InferenceLayers inference_layers(const InferencePlan& plan, const LayerWriter& writer) {
  InferenceLayers layers;
  const auto add = [&](const std::string& block) {
    const auto known = std::ranges::find(layers.kinds, block, &LayerKernels::block);
    layers.order.push_back(static_cast<std::uint32_t>(known - layers.kinds.begin()));
    if (known == layers.kinds.end()) layers.kinds.push_back(writer.layer(block));
  };
  for (const std::string& block : plan.model.layers)
    if (block != "mtp") add(block);
  for (std::uint32_t draft = 0; draft < plan.options.drafts; ++draft) add("mtp");
  return layers;
}

InferenceProgram write_inference(const InferencePlan& plan, const Hardware& hardware,
                                 const InferenceLayers& layers) {
  return InferenceWriter(plan, hardware, layers).take();
}

}  // namespace a3sim
