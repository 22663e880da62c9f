#include "sim/study/metrics/metric.h"

// Metrics of micro-batches on streams, besides latency. All are of the forward pass.
namespace a3sim {
namespace {

using Better = Metric::Better;
using Form = Metric::Form;

// Returns a metric of the forward pass. Only streams have calls and groups of products.
Metric of_forward(Form form, double (*value)(const MicroBatchResult&), bool of_schedules = false) {
  return {form, nullptr, false, Better::kSmaller, {{"total", value, of_schedules}}};
}

A3SIM_REGISTER(Metric, "token_straggler", "rows of the busiest rank above the mean",
               Metric(of_forward(
                   Form::kNumber, [](const MicroBatchResult& result) { return result.token_straggler; },
                   true)));
A3SIM_REGISTER(Metric, "product_straggler", "products of the busiest rank above the mean",
               Metric(of_forward(Form::kMilliseconds, [](const MicroBatchResult& result) {
                 return 1e3 * result.gemm_straggler;
               })));
A3SIM_REGISTER(Metric, "dispatch", "all calls of dispatch",
               Metric(of_forward(Form::kMilliseconds, [](const MicroBatchResult& result) {
                 return milliseconds(result.dispatch);
               })));
A3SIM_REGISTER(Metric, "combine", "all calls of combine",
               Metric(of_forward(Form::kMilliseconds, [](const MicroBatchResult& result) {
                 return milliseconds(result.combine);
               })));
A3SIM_REGISTER(Metric, "waste", "the latency's part between the mean and the slowest rank's work",
               Metric(of_forward(Form::kShare,
                                 [](const MicroBatchResult& result) { return 100 * result.waste; })));
A3SIM_REGISTER(Metric, "copied", "bytes by copy engines",
               Metric(of_forward(
                   Form::kMegabytes,
                   [](const MicroBatchResult& result) { return 1e-6 * static_cast<double>(result.copied); },
                   true)));

}  // namespace
}  // namespace a3sim
