#include "sim/study/sweep/point_run.h"

#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "sim/experiment/run_experiment.h"

namespace a3sim {

PointRun::PointRun(const SweepSpec& spec) : spec_(spec), record_(need_records(spec.metrics)) {}

std::string PointRun::compute(const SweepPosition& position, const std::string& id) {
  const SweepPoint point = resolve_point(spec_, position);
  if (point.id != id) throw InputError("its configuration was changed while the sweep ran: start it again");
  const std::vector<PassResult> passes =
      run_compiled(point.experiment, cache_.compile(point.experiment), record_, backend_of(point.experiment));
  nlohmann::json answer{{"config", point.config.resolved}, {"files", point.config.files}};
  for (const PointMetric& m : metrics_of(point.experiment, passes, spec_.metrics))
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
