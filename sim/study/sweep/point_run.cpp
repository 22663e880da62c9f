#include "sim/study/sweep/point_run.h"

#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/experiment/micro_batches.h"
#include "sim/experiment/run_experiment.h"

namespace a3sim {

PointRun::PointRun(const SweepSpec& spec) : spec_(spec), record_(need_records(spec.metrics)) {}

namespace {

std::vector<PointMetric> of_streams(const Experiment& experiment, std::span<const std::string> names) {
  std::vector<std::vector<MicroBatchResult>> by_seed;
  for (std::uint32_t seed = 0; seed < batches_of(experiment)->seeds; ++seed)
    by_seed.push_back(run_micro_batches(experiment, draw_batches(experiment, seed)));
  std::vector<PointMetric> metrics;
  for (BatchMetric& of : batch_metrics(by_seed, names)) metrics.push_back(std::move(of.mean));
  return metrics;
}

}  // namespace

std::vector<PointMetric> PointRun::metrics(const Experiment& experiment) {
  if (batches_of(experiment)) return of_streams(experiment, spec_.metrics);
  const std::vector<PassResult> passes =
      run_compiled(experiment, cache_.compile(experiment), record_, backend_of(experiment));
  return metrics_of(experiment, passes, spec_.metrics);
}

std::string PointRun::compute(const SweepPosition& position, const std::string& id) {
  const SweepPoint point = resolve_point(spec_, position);
  if (point.id != id) throw InputError("its configuration was changed while the sweep ran: start it again");
  nlohmann::json answer{{"config", point.config.resolved}, {"files", point.config.files}};
  for (const PointMetric& m : metrics(point.experiment))
    answer["metrics"].push_back({m.pass, m.name, m.value, m.unit});
  std::string bytes;
  nlohmann::json::to_cbor(answer, nlohmann::detail::output_adapter<char>(bytes));
  return bytes;
}

PointAnswer read_answer(const std::string& bytes) {
  const nlohmann::json json = nlohmann::json::from_cbor(bytes);
  PointAnswer answer{{json.at("config"), json.at("files")}, {}};
  for (const nlohmann::json& m : json.at("metrics"))
    answer.metrics.push_back({m.at(0), m.at(1), m.at(2), m.at(3)});
  return answer;
}

}  // namespace a3sim
