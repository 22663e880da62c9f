#include <fmt/format.h>

#include <algorithm>

#include "sim/core/parallel.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/published/evaluation.h"
#include "sim/study/summary/run_trace.h"
#include "traces/analysis/overlap.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kTokens = 4096;
constexpr std::uint32_t kRowsOfPut = 32;  // where those are kept
constexpr std::uint32_t kChunk = 128;

struct Case {
  std::uint32_t ep = 0;
  bool rows_kept = false;  // tokens grow with the group, so that puts keep their rows
  const char* execution = "static";
  const char* order = "ratr";
  std::uint32_t chunk = kChunk;

  std::uint32_t tokens() const { return rows_kept ? kRowsOfPut * ep : kTokens; }
  nlohmann::ordered_json coordinates() const {
    return {{"tokens", rows_kept ? fmt::format("{} x EP", kRowsOfPut) : fmt::format("{}", kTokens)},
            {"ep", ep},
            {"execution", execution},
            {"order", order},
            {"chunk", chunk}};
  }
};

// Orders that do not go round the group have no ranks that stand for others: all run, of groups that are small.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* execution : {"static", "kernel"})
    for (const std::uint32_t ep : {4U, 8U, 16U, 32U, 64U, 128U, 256U, 384U, 768U})
      cases.push_back({.ep = ep, .execution = execution});
  for (const std::uint32_t ep : {4U, 8U, 16U, 32U}) cases.push_back({.ep = ep, .order = "naive"});
  for (const std::uint32_t ep : {16U, 64U, 256U}) cases.push_back({.ep = ep, .chunk = 8});
  for (const char* execution : {"static", "kernel"})
    for (const std::uint32_t ep : {16U, 64U, 256U})
      cases.push_back({.ep = ep, .rows_kept = true, .execution = execution});
  return cases;
}

// From 4 to 768 ranks of one supernode, a die each: what grows with the group.
class Scale final : public Evaluation {
 public:
  Predictions run(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) const override;

 private:
  static Point point_of(const Scenario& scenario, const Case& of);
};

// The mean of a rank.
Duration exposed(const Experiment& experiment, const PassResult& pass) {
  const std::vector<Overlap> ranks = overlaps(trace_of(experiment, pass));
  Duration sum{};
  for (const Overlap& rank : ranks) sum += rank.exposed;
  return sum / static_cast<std::int64_t>(std::max<std::size_t>(1, ranks.size()));
}

Point Scale::point_of(const Scenario& scenario, const Case& of) {
  const bool alike = of.order != std::string_view("naive");
  const Experiment experiment = scenario.load(
      "ep384", {fmt::format("include=../orders/{}.yaml", of.order), "experiment.pass=forward",
                fmt::format("experiment.execution={}", of.execution), fmt::format("parallel.ep={}", of.ep),
                fmt::format("model.tokens={}", of.tokens()), fmt::format("cut.chunk={}", of.chunk),
                fmt::format("experiment.simulate={}", alike ? "alike" : "all")});
  const PassResult pass = run_experiment(experiment, true, backend_in_threads(experiment)).front();
  const Duration latency = pass.run.makespan, link = pass.bounds.time[static_cast<std::size_t>(Bound::kLink)];
  Point point{of.coordinates(), "latency", "ms", milliseconds(latency), experiment.hardware.name};
  point.more = {{Column::milliseconds("exposed", "exposed_ps"), exposed(experiment, pass)},
                {Column::number("links busy", "", 2), seconds(link) / seconds(latency)},
                {Column::words("ranks simulated"),
                 experiment.kept > 0 ? fmt::format("{} of {}", experiment.kept, of.ep) : "all"}};
  return point;
}

Predictions Scale::run(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) const {
  std::vector<Case> cases = all_cases();
  std::erase_if(cases, [&](const Case& of) { return !wanted.has(of.coordinates()); });
  Predictions result{table.heading, std::vector<Point>(cases.size())};
  in_parallel(cases.size(), scenario.threads,
              [&](std::size_t i) { result.points[i] = point_of(scenario, cases[i]); });
  return result;
}

A3SIM_REGISTER(Evaluation, "scale",
               "from EP4 to EP768: tile by tile and kernel by kernel, by order and chunk", Scale);

}  // namespace
}  // namespace a3sim
