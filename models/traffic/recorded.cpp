#include <fmt/format.h>

#include <filesystem>
#include <mutex>
#include <optional>

#include "models/routing/counts_file.h"
#include "models/traffic/token_log.h"
#include "models/traffic/traffic.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// The steps of the log that was dealt last. Reading one takes seconds, and a run of micro-batches asks for each step.
class DealtLog {
 public:
  RoutingCounts step(const RoutingSpec& spec, const MoeShape& shape) {
    const Deal deal{shape.ep, shape.tokens, spec.deal, shape.top_k, shape.experts()};
    const std::scoped_lock lock(mutex_);
    if (!steps_ || deal != deal_ || spec.file != file_ || spec.layer != layer_ ||
        std::filesystem::last_write_time(spec.file) != written_) {
      steps_.reset();
      written_ = std::filesystem::last_write_time(spec.file);
      const TrafficLog log = read_traffic_log(spec.file);
      // Experts with the highest numbers may have got no token; half of them never do.
      const bool far_fewer = 2 * log.experts <= shape.experts();
      if (far_fewer || log.experts > shape.experts() || log.top_k > shape.top_k)
        throw InputError(fmt::format(
            "{}: tokens go to {} of {} experts, those of the model to {} of {}: set model.top_k and "
            "model.experts (or experts_per_rank)",
            spec.file, log.top_k, log.experts, shape.top_k, shape.experts()));
      steps_ = deal_traffic(log, spec.layer, deal);
      deal_ = deal;
      file_ = spec.file;
      layer_ = spec.layer;
    }
    if (spec.micro_batch >= steps_->steps.size())
      throw InputError(fmt::format("{}: {} steps of {} tokens on each of {} ranks, so there is no step {}",
                                   spec.file, steps_->steps.size(), shape.tokens, shape.ep,
                                   spec.micro_batch));
    return steps_->steps[spec.micro_batch];
  }

 private:
  std::mutex mutex_;
  std::optional<TrafficSteps> steps_;
  std::filesystem::file_time_type written_;
  Deal deal_;
  std::string file_;
  std::uint32_t layer_ = 0;
};

// Takes one micro-batch after another: the steps of a log of tokens or counts, or those of a CSV file of counts.
class RecordedCounts final : public RoutingGenerator {
 public:
  bool reads_file() const override { return true; }
  bool drifts() const override { return true; }

  RoutingCounts counts(const RoutingSpec& spec, const MoeShape& shape) const override {
    check_top_k(shape);
    if (!is_traffic_log(spec.file)) return counts_in_file(spec.file, shape, spec.micro_batch);
    return log_.step(spec, shape);
  }

  std::vector<std::uint32_t> assign(const RoutingSpec& spec, const MoeShape& shape,
                                    std::uint32_t src) const override {
    return dealt_to_tokens(counts(spec, shape).source(src), shape);
  }

 private:
  mutable DealtLog log_;
};

A3SIM_REGISTER(RoutingGenerator, "recorded",
               "step after step of a log of tokens or counts, or of a CSV file of counts", RecordedCounts);

}  // namespace
}  // namespace a3sim
