#include <algorithm>

#include "sim/experiment/run_experiment.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

// When the tasks of one operator run, over all ranks.
struct Span {
  Duration first = Duration::max(), last{};
  Duration length() const { return last - first; }
};

Span span_of(const PassResult& pass, std::string_view name) {
  Span span;
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      if (ssc.operators()[ssc.tasks()[t].op].name != name) continue;
      const TaskRecord& record = pass.run.ranks[r].records[t];
      span.first = std::min(span.first, record.start.time_since_epoch());
      span.last = std::max(span.last, record.end.time_since_epoch());
    }
  }
  return span;
}

Point slowdown_of(const Scenario& scenario, const nlohmann::ordered_json& coordinates,
                  const std::vector<std::string>& own) {
  const auto measure = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = own;
    all.insert(all.end(), more.begin(), more.end());
    return run_experiment(scenario.load("contention", all), true).front();
  };
  const PassResult beside = measure({}), alone = measure({"model.tokens=1", "model.top_k=1"});
  const Duration with = span_of(beside, "GMM").length(), without = span_of(alone, "GMM").length();
  const Span sent = span_of(beside, "Dispatch"), product = span_of(beside, "GMM");
  const Duration together = std::min(sent.last, product.last) - std::max(sent.first, product.first);
  Point point{coordinates, "slowdown", "%", 100 * (seconds(with) / seconds(without) - 1),
              scenario.load("contention", own).hardware.name};
  const auto time = [&](const char* head, const char* key, Duration value) {
    Column column = Column::microseconds(head, key);
    column.decimals = 1;
    point.more.emplace_back(std::move(column), value);
  };
  time("alone us", "alone_ps", without);
  time("beside us", "beside_ps", with);
  point.more.emplace_back(Column::percent("communication goes on", "", 0), seconds(together) / seconds(with));
  return point;
}

// A product that is bound by memory, beside an all-to-all: how much longer it takes than alone.
Predictions run_contention(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  Predictions result{table.heading, {}};
  const nlohmann::ordered_json puts{{"communication", "puts"}}, bypass{{"communication", "puts past the L2"}};
  if (wanted.has(puts)) result.points.push_back(slowdown_of(scenario, puts, {}));
  if (wanted.has(bypass))
    result.points.push_back(slowdown_of(scenario, bypass, {"l2.hints.Dispatch.write=bypass"}));
  return result;
}

A3SIM_REGISTER(Evaluation, "contention", "a product beside an all-to-all, and alone",
               Evaluation{run_contention});

}  // namespace
}  // namespace a3sim
