#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/check/layer_check.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "tests/few.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

LayerCheck check_of(const std::string& method, const std::vector<std::string>& more = {}) {
  std::vector<std::string> set{"network.backend=native", "experiment.method=" + method};
  set.insert(set.end(), more.begin(), more.end());
  return {(configs_folder() / "experiments" / "feplb.yaml").string(), set, 1};
}

bool right(const std::vector<LayerCheck::Outcome>& outcome) {
  return std::ranges::all_of(outcome,
                             [](const LayerCheck::Outcome& outcome) { return outcome.compared.right(); });
}

// Whether a task comes before another one whatever takes how long: by streams and by events.
class Before {
 public:
  explicit Before(const StreamProgram& program) : before_(program.tasks.size()) {
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
      before_[t].assign(program.tasks.size(), false);
      for (const std::uint32_t a : program.tasks[t].after) add(t, a);
      for (std::uint32_t p = t; p-- > 0;) {
        if (program.tasks[p].rank != program.tasks[t].rank ||
            program.tasks[p].stream != program.tasks[t].stream)
          continue;
        add(t, p);
        break;
      }
    }
  }
  bool operator()(std::uint32_t first, std::uint32_t second) const { return before_[second][first]; }

 private:
  void add(std::uint32_t t, std::uint32_t a) {
    before_[t][a] = true;
    for (std::uint32_t b = 0; b < a; ++b) before_[t][b] = before_[t][b] || before_[a][b];
  }
  std::vector<std::vector<bool>> before_;
};

}  // namespace

TEST_CASE("Every method that carries tensors gives those of plain loops, whoever is late") {
  for (const char* method : {"none", "feplb", "faster", "faster_pipe2", "tutel"}) {
    for (const char* ep : few(1, {"4", "2", "8"})) {
      const LayerCheck check = check_of(method, {std::string("parallel.ep=") + ep, "model.experts=16"});
      const DataFindings findings = check_layer(check, 7);
      INFO(method << ", EP" << ep << '\n' << findings.report.text());
      CHECK(findings.faults.empty());
    }
  }
}

TEST_CASE("An event that a task of FEPLB waits for is needed, or others say the same") {
  const LayerCheck check =
      check_of("feplb", {"parallel.ep=4", "model.experts=16", "model.top_k=4", "routing.sigma=1",
                         "routing.common=0", "routing.lasting=0.8", "routing.correlation=0.98"});
  LayerCheck::Passes whole = check.passes(0);
  REQUIRE(whole.copied > 0);
  check.run(whole);
  REQUIRE(right(check.outcome(0, whole)));
  std::size_t caught = 0;
  for (StreamPass LayerCheck::Passes::* const pass :
       {&LayerCheck::Passes::forward, &LayerCheck::Passes::backward}) {
    const StreamProgram& program = (whole.*pass).program;
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
      for (std::size_t a = 0; a < program.tasks[t].after.size(); ++a) {
        const std::uint32_t late = program.tasks[t].after[a];
        const StreamTask &waiting = program.tasks[t], &made = program.tasks[late];
        // The host's times carry no tensors; kernels that exchange begin together; an expert's own gradient
        // has no part where another rank has all of it.
        if (made.stream <= Layer::kPlanner || waiting.name == KernelName::kAdd) continue;
        if (waiting.stream == Layer::kBulk && made.rank != waiting.rank) continue;
        LayerCheck::Passes passes = whole;
        StreamProgram& changed = (passes.*pass).program;
        std::erase(changed.tasks[t].after, late);
        if (Before(changed)(late, t)) continue;
        changed.tasks[late].wait += 4 * (whole.*pass).result.makespan;
        check.run(passes);
        INFO(waiting.name << " of rank " << index(waiting.rank) << " without " << made.name << " of rank "
                          << index(made.rank));
        CHECK_FALSE(right(check.outcome(0, passes)));
        ++caught;
      }
    }
  }
  CHECK(caught > 20);
}

TEST_CASE("What carries no tensors is refused with what does") {
  CHECK_THROWS_WITH(check_of("triton"), Contains("partial sums") && Contains("faster"));
  CHECK_THROWS_WITH(check_of("feplb", {"balance.free_return=true"}), Contains("free_return"));
}
