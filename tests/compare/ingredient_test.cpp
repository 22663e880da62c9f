#include "sim/compare/orders/ingredient.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "sim/experiment/config/configs_folder.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

Experiment experiment_under(const std::string& order, const std::vector<std::string>& set) {
  return with_order(small(set), read_order_file(configs_folder() / "orders" / (order + ".yaml")));
}

IngredientFacts facts_under(const std::string& order, const std::vector<std::string>& set) {
  const Experiment experiment = experiment_under(order, set);
  IngredientFacts facts;
  for (const PassResult& pass : run_experiment(experiment, true)) facts.add(facts_of(experiment, pass));
  return facts;
}

Duration latency_under(const std::string& order, const std::vector<std::string>& set) {
  Duration sum{};
  for (const PassResult& pass : run_experiment(experiment_under(order, set), false)) sum += pass.run.makespan;
  return sum;
}

struct TimedPut {
  Time start, end;
  std::uint32_t src, dst;
};

// Looks at every gap between two moments of the run at which a put begins or ends, and counts those under way.
PutsAtOnce by_brute_force(const PassResult& pass) {
  std::vector<TimedPut> puts;
  std::set<Time> times;
  for (std::uint32_t r = 0; r < pass.schedule.size(); ++r) {
    for (std::size_t t = 0; t < pass.run.ranks[r].records.size(); ++t) {
      const TaskRecord& record = pass.run.ranks[r].records[t];
      const std::uint32_t dst = pass.schedule[r].tasks()[t].dst;
      if (record.put_bytes == 0 || dst == r) continue;
      puts.push_back({record.start, record.done, r, dst});
      times.insert({record.start, record.done});
    }
  }
  PutsAtOnce result;
  for (auto from = times.begin(), to = std::next(from); to != times.end(); ++from, ++to) {
    std::map<std::uint32_t, std::set<std::uint32_t>> by_source;
    std::map<std::uint32_t, int> by_receiver;
    int all = 0, most = 0;
    for (const TimedPut& put : puts) {
      if (put.start > *from || put.end < *to) continue;
      by_source[put.src].insert(put.dst);
      most = std::max(most, ++by_receiver[put.dst]);
      ++all;
    }
    if (all == 0) continue;
    std::size_t destinations = 0;
    for (const auto& [source, receivers] : by_source) destinations += receivers.size();
    const double time = seconds(*to - *from);
    result.time += time;
    result.destinations += time * static_cast<double>(destinations) / static_cast<double>(by_source.size());
    result.busiest += time * most * kEp / all;
  }
  return result;
}

}  // namespace

TEST_CASE("how puts meet is what counting them between any two moments gives") {
  for (const char* order : {"naive", "ratr"}) {
    const Experiment experiment = experiment_under(order, {"workers.aiv=3", "experiment.pass=forward"});
    const std::vector<PassResult> passes = run_experiment(experiment, true);
    const PutsAtOnce counted = by_brute_force(passes.front()),
                     puts = facts_of(experiment, passes.front()).puts;
    CHECK(counted.time > 0);
    CHECK(puts.time == Approx(counted.time));
    CHECK(puts.destinations == Approx(counted.destinations));
    CHECK(puts.busiest == Approx(counted.busiest));
  }
}

TEST_CASE("of a ring that gains nothing it is said that puts face as many ranks without it") {
  const IngredientFacts facts = facts_under("naive", {"workers.aiv=2"});
  CHECK_THAT(reason_for(facts_under("ratr", {"workers.aiv=2"}), facts, 0.0001),
             Contains("nothing: the puts of a rank face ") && Contains("of 3 other ranks at once"));
  CHECK_THAT(reason_for(facts_under("interleaved_branches", {"workers.aiv=2"}), facts, 0),
             Contains("nothing: ") && Contains("is in the L2"));
  CHECK(reason_for(facts, facts, 0) == "next to nothing");
}

TEST_CASE("of a ring that pays, the reason is the largest one, in the direction of the difference") {
  const std::vector<std::string> slow{"hardware.fabric.planes.hccs.ingress=1 GB/s", "workers.aiv=2"};
  const IngredientFacts ring = facts_under("ratr", slow), naive = facts_under("naive", slow);
  const double longer = seconds(latency_under("ratr", slow)) / seconds(latency_under("naive", slow)) - 1;
  REQUIRE(longer < -0.01);
  CHECK(ring.puts.busiest / ring.puts.time < naive.puts.busiest / naive.puts.time);
  CHECK_THAT(reason_for(ring, naive, longer), Contains(" less") && Contains("the busiest receiver takes "));
  CHECK_THAT(reason_for(naive, ring, -longer), Contains(" more"));
  CHECK(reason_for(ring, facts_under("naive", {"workers.aic=5"}), longer).empty());  // other workers
}
