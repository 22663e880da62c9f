#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "sim/experiment/outcome/run_trace.h"
#include "sim/result/cable_figures.h"
#include "tests/experiment/saved.h"
#include "tests/experiment/small_experiment.h"
#include "traces/analysis/explanation.h"
#include "traces/analysis/held_links.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

// Four ranks under two leaves, which send up a sixteenth of what they take.
Experiment under_two_leaves(std::vector<std::string> more = {}) {
  std::vector<std::string> set{"parallel.hosts=[0, 2, 4, 6]", "experiment.pass=forward", "model.hidden=2048",
                               "network.topology.hccs={kind: two_level, leaves: 2, leaf: 4, spines: 2, rate: "
                               "200 GB/s, oversubscription: 16}"};
  set.insert(set.end(), more.begin(), more.end());
  return small(set);
}

PassResult recorded(const Experiment& experiment, Trace& trace) {
  std::vector<PassResult> passes = run_experiment(experiment, true);
  trace = trace_of(experiment, passes.front());
  return std::move(passes.front());
}

Duration lost_to_links(const CriticalPath& path) {
  Duration sum{};
  for (const PathSegment& segment : path.segments)
    sum += segment.blame[static_cast<std::size_t>(Blame::kLink)];
  return sum;
}

}  // namespace

TEST_CASE("Where leaves send up too little, the critical path's lost time is their cables'") {
  Trace trace;
  const PassResult pass = recorded(under_two_leaves(), trace);
  const CriticalPath path = explain(trace).path;
  const std::vector<Duration> times = link_times(trace, path, Duration::zero(), trace.makespan);
  CHECK(std::accumulate(times.begin(), times.end(), Duration::zero()) == lost_to_links(path));
  CHECK(times.back() < lost_to_links(path) / 2);
  // A put within a leaf takes no cable that can hold it up.
  std::size_t held = 0;
  for (std::uint32_t r = 0; r < 4; ++r) {
    for (const TraceTask& task : trace.ranks[r]) {
      CHECK(task.held <= task.lost[static_cast<std::size_t>(Limit::kLink)]);
      if (task.link == kNone) continue;
      CHECK(r / 2 != task.dst / 2);
      CHECK_THAT(trace.links[task.link], Contains("switches leaf0 to leaf1, 4 cables") ||
                                             Contains("switches leaf1 to leaf0, 4 cables"));
      ++held;
    }
  }
  CHECK(held > 0);
  const Report report = explanation_report("forward", trace, explain(trace), kNone);
  CHECK_THAT(report.text(), Contains("lost to") && Contains("switches leaf"));
}

TEST_CASE("One bad cable is named, with whose bytes it carries") {
  Trace trace;
  const PassResult pass =
      recorded(under_two_leaves({"network.topology.hccs.oversubscription=1",
                                 "network.damage=[{cable: leaf0->spine1, factor: 0.02}]"}),
               trace);
  REQUIRE(trace.links.size() == 1);
  CHECK(trace.links.front() == "cable leaf0->spine1");
  const CableUse& hottest = pass.run.cables.front();
  CHECK(hottest.name == "leaf0->spine1");
  double sum = 0;
  for (const CableTraffic& traffic : hottest.traffic) {
    CHECK((traffic.src < 2 && traffic.dst >= 2));
    sum += traffic.bytes;
  }
  CHECK(sum == Approx(hottest.bytes));
  // Its use over time is its bytes over the run.
  const double mean = std::accumulate(hottest.over_time.begin(), hottest.over_time.end(), 0.0) /
                      static_cast<double>(hottest.over_time.size());
  CHECK(mean == Approx(hottest.used).epsilon(1e-6));
  Duration full{};
  for (const CableStretch& stretch : hottest.full_stretches) full += stretch.to - stretch.from;
  CHECK(full == hottest.full);
}

TEST_CASE("What is said of cables is read back from a run's directory, and drawn by level") {
  const Experiment experiment = under_two_leaves();
  const std::vector<PassResult> passes = run_experiment(experiment, true);
  const Trace trace = trace_of(experiment, passes.front());
  const TemporaryFolder folder;
  write_run(experiment, passes, folder.path());
  const SavedRun run = read_run(folder.path(), "");
  CHECK(run.passes.front().trace.links == trace.links);
  CHECK(run.passes.front().trace.ranks == trace.ranks);
  const std::vector<CableUse>& cables = run.cables.front();
  REQUIRE(cables.size() == passes.front().run.cables.size());
  CHECK(cables.front().over_time.size() == passes.front().run.cables.front().over_time.size());
  CHECK(cables.front().traffic.size() == passes.front().run.cables.front().traffic.size());

  const Figure map = cable_map("small", cables);
  CHECK(map.y.names == std::vector<std::string>{"host", "leaf", "spine"});
  CHECK(map.links.size() == cables.size());
  CHECK(map.marks.size() == 4 + 2 + 2);
  CHECK_FALSE(cables_over_time("small", trace.makespan, cables).series.empty());
}

TEST_CASE("Without a topology nothing is said of cables") {
  Trace trace;
  recorded(small({"experiment.pass=forward"}), trace);
  CHECK(trace.links.empty());
  const Report report = explanation_report("forward", trace, explain(trace), kNone);
  CHECK_THAT(report.text(), !Contains("lost to  critical"));
}
