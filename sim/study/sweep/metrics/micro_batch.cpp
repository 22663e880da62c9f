#include "sim/study/sweep/sweep_metric.h"

// What micro-batches on streams come to, beside their latency: of forward.
namespace a3sim {
namespace {

using Better = SweepMetric::Better;
using Form = SweepMetric::Form;

// Calls and groups of products are those of streams.
SweepMetric of_forward(Form form, double (*value)(const MicroBatchResult&), bool of_schedules = false) {
  return {form, nullptr, false, Better::kSmaller, {{"total", value, of_schedules}}};
}

A3SIM_REGISTER(SweepMetric, "token_straggler", "rows of the busiest rank above the mean",
               SweepMetric(of_forward(
                   Form::kNumber, [](const MicroBatchResult& of) { return of.token_straggler; }, true)));
A3SIM_REGISTER(SweepMetric, "product_straggler", "products of the busiest rank above the mean",
               SweepMetric(of_forward(Form::kMilliseconds,
                                      [](const MicroBatchResult& of) { return 1e3 * of.gemm_straggler; })));
A3SIM_REGISTER(SweepMetric, "dispatch", "all calls of dispatch",
               SweepMetric(of_forward(Form::kMilliseconds,
                                      [](const MicroBatchResult& of) { return milliseconds(of.dispatch); })));
A3SIM_REGISTER(SweepMetric, "combine", "all calls of combine",
               SweepMetric(of_forward(Form::kMilliseconds,
                                      [](const MicroBatchResult& of) { return milliseconds(of.combine); })));
A3SIM_REGISTER(SweepMetric, "waste", "the latency's part between the mean and the slowest rank's work",
               SweepMetric(of_forward(Form::kShare,
                                      [](const MicroBatchResult& of) { return 100 * of.waste; })));
A3SIM_REGISTER(SweepMetric, "copied", "bytes by copy engines",
               SweepMetric(of_forward(
                   Form::kMegabytes,
                   [](const MicroBatchResult& of) { return 1e-6 * static_cast<double>(of.copied); }, true)));

}  // namespace
}  // namespace a3sim
