#include <catch2/catch.hpp>

#include "sim/result/analysed_run.h"
#include "sim/result/run_page.h"
#include "sim/variation/machine_part.h"
#include "sim/verdict/difference_verdict.h"
#include "sim/verdict/gains.h"
#include "tests/compare/sentences.h"
#include "tests/experiment/saved.h"
#include "tests/experiment/small_experiment.h"

using namespace a3sim;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

MedianInterval only(double gain) { return {gain, gain, gain}; }

const std::string kStepFileOfTest = std::string(A3SIM_SOURCE_DIR) + "/configs/experiments/step_of_test.yaml";

// A step whose experts run tile by tile, so that their exchanges are inside of kernels and no tasks of the step's trace.
constexpr const char* kStepOfTiles =
    R"(include: [../hardware/a3_24_48.yaml, ../programs/cann.yaml, ../orders/published.yaml]
experiment: {name: small, workload: training_step, execution: static}
model:
  name: small
  hidden: 1024
  vocabulary: 4096
  attention: {heads: 16, kv_heads: 16, head_dim: 64}
  dense_intermediate: 4096
  intermediate: 512
  experts: 16
  top_k: 2
  layers: [embedding, 4 dense, 4 moe, head]
step: {sequence: 1024, global_batch: 8}
parallel: {dp: 4, ep: 4}
)";

// A pass whose path is two thirds cube arithmetic, although a free cube gains a twentieth.
Verdict paced_by_two() {
  Verdict verdict{"forward", Duration(10'000'000'000), Duration(8'000'000'000), "cube", {}};
  verdict.path = {{Blame::kCube, "cube arithmetic", 0.677, {"GMM1", "GMM2"}},
                  {Blame::kLink, "puts that share a port", 0.13, {}}};
  verdict.candidates = {{"loads to L1, hits", "core", only(0.004), only(0.03), {}},
                        {"cube arithmetic", "cube", only(0.02), only(0.05), {}}};
  rank(verdict);
  return verdict;
}

const AnalysedPass& pass_of(const AnalysedRun& run, const std::string& name) {
  return *std::ranges::find_if(run.passes, [&](const AnalysedPass& pass) { return pass.pass->name == name; });
}

const LimitCandidate& candidate(const Verdict& verdict, const std::string& name) {
  const auto found = std::ranges::find(verdict.candidates, name, &LimitCandidate::name);
  INFO(name);
  REQUIRE(found != verdict.candidates.end());
  return *found;
}

}  // namespace

TEST_CASE("what binds is what gains most, not what the critical path is blamed on") {
  Verdict verdict = paced_by_two();
  std::string text = verdict_text(verdict);
  CHECK_THAT(text, StartsWith("forward: Limited by cube arithmetic: 10 % better gains 2.0 %, free 5.0 %;"));
  CHECK_THAT(
      text,
      Contains(
          "spends 67.7 % on cube arithmetic in GMM1 and GMM2, yet cube arithmetic free gains only 5.0 %"));
  CHECK_THAT(text, Contains("Another order gains at most 20.0 %: the bound is 8.000 ms (cube)."));

  verdict.candidates.push_back({joined_name({"cube arithmetic", "loads to L1, misses", "loads to L1, hits"}),
                                "cube",
                                only(0.06),
                                only(0.2),
                                {"cube arithmetic", "loads to L1, misses", "loads to L1, hits"}});
  rank(verdict);
  text = verdict_text(verdict);
  CHECK_THAT(text, StartsWith("forward: Limited by cube arithmetic + loads to L1 (misses, hits): 10 % "
                              "better gains 6.0 %, free "
                              "20.0 %."));
  CHECK_THAT(text, Contains("these 3 parts pace the same tasks.") && !Contains("next "));
  // Where something else gains more, the group is named with what it gains.
  verdict.candidates.push_back({"link ports", "link", only(0.07), only(0.3), {}});
  rank(verdict);
  CHECK_THAT(verdict_text(verdict), Contains("pace the same tasks, and free together they gain 20.0 %."));
}

TEST_CASE("the difference of two runs is said with its cause, or that noise hides it") {
  DifferenceVerdict verdict{{-8.2e9, -8.4e9, -8.0e9}, -0.338, Duration(-8'100'000'000)};
  verdict.cause = {"links", "network is x in A, y in B", 0.9, Duration(20'000'000'000)};
  verdict.changed = "puts that share a port: 8.000 ms less, 2.000 of it in Combine";
  CHECK(verdict_text(verdict) ==
        "B takes 8.200 ms (33.8 %) less than A (95 %: -8.400..-8.000); the largest cause lies in the links "
        "(network is x "
        "in A, y in B): with that of A, B would take 20.000 ms, 90 % of the difference; on the critical path "
        "most of it "
        "is puts that share a port: 8.000 ms less, 2.000 of it in Combine.");
  verdict.cause.reset();
  CHECK_THAT(verdict_text(verdict), Contains("no part of A's configuration explains it alone"));
  verdict.apart = {1e6, -2e6, 3e6};
  CHECK(verdict_text(verdict) ==
        "A and B do not differ by more than noise: +0.001 ms (95 %: -0.002..+0.003, noise). The saved runs "
        "differ by "
        "-8.100 ms.");
  DifferenceVerdict step{{2.01e13, 2.01e13, 2.01e13}, 0.209, Duration(20'100'000'000'000)};
  step.one_run = true;
  step.changed = "EP +20.100 s";
  CHECK(verdict_text(step) ==
        "B takes 20.100 s (20.9 %) longer than A, from one run of each; most of it is EP +20.100 s.");
}

TEST_CASE("without variations nothing is said of gains but what no order exceeds") {
  Verdict verdict = paced_by_two();
  verdict.candidates.clear();
  CHECK(verdict_text(verdict) ==
        "forward: On the critical path: cube arithmetic 67.7 % (GMM1 and GMM2) and puts that share a port "
        "13.0 %. "
        "'a3sim explain' says what each part of the machine would gain. Another order gains at most 20.0 %: "
        "the bound is "
        "8.000 ms (cube).");
}

TEST_CASE("of kernels known only by their time the verdict says that what binds them is not known") {
  Verdict verdict = paced_by_two();
  verdict.path.push_back({Blame::kUnknown, "kernels known only by their time", 0.12, {"Attention", "Norm"}});
  const std::string binds =
      "What binds Attention and Norm, 12.0 % of the critical path, is not known: only their time is.";
  CHECK_THAT(verdict_text(verdict), Contains(binds));
  Verdict paced = verdict;
  paced.candidates.front().cause = name_of(Blame::kUnknown);  // as a link to the host that was tried
  CHECK_THAT(verdict_text(paced), !Contains("not known"));
  verdict.candidates.clear();
  CHECK_THAT(verdict_text(verdict), Contains(binds));
  verdict.path.back().part = 0.04;
  CHECK_THAT(verdict_text(verdict), !Contains("not known"));
}

TEST_CASE("where 10 % of no part gain anything, what would gain most if it were free is named") {
  Verdict verdict = paced_by_two();
  for (LimitCandidate& one : verdict.candidates) one.better = only(0);
  const std::string text = verdict_text(verdict);
  CHECK_THAT(text, Contains("No part gains 0.1 % if it is 10 % better") &&
                       Contains("cube arithmetic would gain most: 5.0 %"));
}

// A run that the HBM holds up, whose random times hid what 10 % of anything gains, was once limited by what noise ranked first.
TEST_CASE("a gain that is noise limits nothing, and is called noise") {
  Verdict verdict = paced_by_two();
  verdict.path = {{Blame::kHbm, "the HBM's bandwidth", 0.791, {"GMM1"}}};
  verdict.candidates = {
      {"L2 size", "L2 misses", MedianInterval{0.051, -0.15, 0.2}, only(0.612), {}},
      {"HBM", "HBM", MedianInterval{0.044, -0.125, 0.139}, MedianInterval{0.8, 0.78, 0.82}, {}},
      {"vector stores", "core", MedianInterval{0.02, -0.01, 0.04}, MedianInterval{0, -0.1, 0.1}, {}}};
  rank(verdict);
  CHECK_THAT(
      verdict_text(verdict),
      StartsWith("forward: Limited by HBM: 10 % better gains nothing but noise (-12.50..+13.90 %), free "
                 "80.0 % (+78.00..+82.00 %); next L2 size: ") &&
          !Contains("vector stores"));
  check_verdict(verdict);
}

TEST_CASE("the next part is no group that the first one is in") {
  Verdict verdict = paced_by_two();
  verdict.candidates = {{"host collective, rate", "put", only(0.08), only(0.6), {}, {"link"}},
                        {"link ports + host collective (rate)",
                         "link",
                         only(0.08),
                         only(0.7),
                         {"link ports", "host collective, rate"}},
                        {"cube arithmetic", "cube", only(0.02), only(0.3), {}}};
  CHECK_THAT(verdict_text(verdict), Contains("; next cube arithmetic: "));
  // Nor do ports hide what the collective's own rate is: both its causes are its own.
  verdict.path = {{Blame::kLink, "exchanges that share a rank's rate", 0.601, {}}};
  verdict.candidates.erase(verdict.candidates.begin() + 1);
  verdict.candidates.push_back({"link ports", "link", only(0), only(0), {}});
  CHECK_THAT(verdict_text(verdict), !Contains("yet "));
}

TEST_CASE("a collective's exchanges are no puts, and their rate is what limits where ports are faster") {
  const TemporaryFolder folder;
  save(small({"experiment.execution=kernel", "program.collective.rate=1 GB/s",
              "program.collective.fixed=0 us"}),
       folder.path());
  const SavedRun run = read_run(folder.path(), "");
  const AnalysedRun known = analyse(run, run.name, 2);
  const Verdict& verdict = pass_of(known, "forward").verdict;
  const std::string text = verdict_text(verdict);
  CHECK_THAT(text, StartsWith("forward: Limited by host collective, rate: ") &&
                       Contains("exchanges that share a rank's rate"));
  CHECK_THAT(text, !Contains("puts") && !Contains("link ports"));
  const nlohmann::ordered_json roofs = told_pass(known, 0, kNone).json()["roofline"];
  CHECK(roofs[0]["operator"] == "Dispatch");
  CHECK(roofs[0]["roof_is"] == "collective");
}

TEST_CASE("what bounds a step is called kernels, since more than arithmetic is in it") {
  Trace trace;
  trace.makespan = Duration(10'000'000'000);
  trace.ranks.resize(1);
  trace.machine.streams = true;
  const Verdict step = verdict_of("step", trace, nullptr, Duration(8'000'000'000), "cube");
  CHECK(verdict_text(step) ==
        "step: The same kernels at other times gain at most 20.0 %: the bound is 8.000 ms (kernels of one "
        "die).");
  trace.machine.streams = false;
  CHECK(verdict_of("forward", trace, nullptr, Duration(8'000'000'000), "cube").bound_by == "cube");
}

TEST_CASE("a candidate gains what the pass takes less on the better machine") {
  const TemporaryFolder folder;
  const Experiment experiment = small();
  save(experiment, folder.path());
  const SavedRun run = read_run(folder.path(), "");
  const AnalysedRun known = analyse(run, run.name, 2);
  for (const char* const name : {"cube arithmetic", "link ports"}) {
    const Experiment better = improved(experiment, machine_part(name), {1.1});
    const std::vector<PassResult> passes = run_experiment(better, false);
    for (const PassResult& pass : passes) {
      const Verdict& verdict = pass_of(known, pass.name).verdict;
      const bool tried =
          std::ranges::find(verdict.candidates, name, &LimitCandidate::name) != verdict.candidates.end();
      if (!tried) continue;  // the pass is not blamed on it
      // Few ranks may stand for all, and meet a little otherwise.
      CHECK(candidate(verdict, name).better->median ==
            Approx(1 - seconds(pass.run.makespan) / seconds(verdict.latency)).margin(0.01));
    }
  }
}

// With few tasks on each core the slowest of many sets the pace, so random times make the run over 1 % longer.
TEST_CASE("a run that random times make longer is still the one that was recorded") {
  const TemporaryFolder folder;
  save(load_experiment(std::string(A3SIM_SOURCE_DIR) + "/configs/experiments/mega_moe_950.yaml", {}),
       folder.path());
  const SavedRun run = read_run(folder.path(), "");
  const AnalysedRun known = analyse(run, run.name, 2);
  CHECK(known.passes.front().verdict.not_tried.empty());
  CHECK_FALSE(known.passes.front().verdict.candidates.empty());
}

TEST_CASE("a cable that is full is the bound and what binds, not a core that waits for it") {
  const TemporaryFolder folder;
  const Experiment experiment =
      small({"network.topology.hccs={kind: two_level, leaves: 8, leaf: 2, spines: 1, rate: 20 GB/s, "
             "oversubscription: 16}",
             "network.routes.hccs=even"});
  save(experiment, folder.path());
  const SavedRun run = read_run(folder.path(), "");
  const AnalysedRun known = analyse(run, run.name, 2);
  const Verdict& verdict = pass_of(known, "forward").verdict;
  CHECK_THAT(verdict.bound_by, StartsWith("cable "));
  CHECK(verdict.bound <= verdict.latency);
  CHECK_THAT(verdict.candidates.front().name, StartsWith("cables "));
  CHECK_THAT(verdict_text(verdict), StartsWith("forward: Limited by cables "));
}

TEST_CASE("every sentence of a page and of explain says what its tables say") {
  const std::vector<std::vector<std::string>> ways{
      {},
      {"experiment.execution=dynamic"},
      {"experiment.execution=kernel"},
      {"routing.kind=sampled", "routing.skew=1"},
      {"model.hidden=1024", "model.intermediate=2048", "model.tokens=1024", "cut.chunk=256",
       "cut.task_rows=128"},
      {"network.topology.hccs={kind: two_level, leaves: 8, leaf: 2, spines: 1, rate: 20 GB/s, "
       "oversubscription: 16}",
       "network.routes.hccs=even"}};
  const TemporaryFolder folder;
  std::vector<SavedRun> runs;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const std::filesystem::path path = folder.path() / std::to_string(w);
    save(small(ways[w]), path);
    runs.push_back(read_run(path, ""));
  }
  for (const SavedRun& run : runs) {
    INFO(run.directory);
    const AnalysedRun known = analyse(run, run.name, 2);
    for (std::size_t p = 0; p < known.passes.size(); ++p) {
      check_sentences(PageBlocks().report(told_pass(known, p, kNone)).json);
      check_verdict(known.passes[p].verdict);
    }
    Page page("one", "");
    add_saved_runs(page, {&run, 1}, 2);
    check_sentences(page_json(page.html("")));
  }
  Page page("two", "");
  add_saved_runs(page, std::span(runs).first(2), 2);
  check_sentences(page_json(page.html("")));
}

TEST_CASE(
    "a step's exchanges are the same in its table, its explanation and its file, those of experts among "
    "them") {
  const TemporaryFolder folder;
  const Experiment experiment = parse_experiment(kStepOfTiles, kStepFileOfTest, std::vector<std::string>{});
  const auto work = experiment.work->prepare(experiment, 2);
  const std::vector<RunOutcome> passes = work->run_all(experiment, Record::kTrace, 2);
  const RunSummary summary = run_summary(experiment, *work, passes);
  write(folder.path() / "resolved.yaml", portable(experiment).resolved);
  write(folder.path() / "result.json", summary.json.dump(2) + '\n');
  for (const NamedFile& file : summary.files) write(folder.path() / file.name, file.contents);
  for (const NamedFile& file : trace_files(passes.front())) write(folder.path() / file.name, file.contents);

  const SavedRun run = read_run(folder.path(), "");
  const AnalysedRun known = analyse(run, run.name, 2);
  std::int64_t total = 0, exposed = 0, stages = 0;
  for (const nlohmann::ordered_json& row : summary.json["exchanges"]) {
    total += row["total_ps"].get<std::int64_t>() - row["beside_ps"].get<std::int64_t>();
    exposed += row["exposed_ps"].get<std::int64_t>();
  }
  Overlap sum;
  for (const Overlap& stage : known.passes.front().explained->overlaps) {
    sum.hidden += stage.hidden;
    sum.exposed += stage.exposed;
    ++stages;
  }
  CHECK(exposed > 0);
  // The tasks alone tell something else.
  Duration of_tasks{};
  for (const Overlap& stage : overlaps(run.passes.front().trace)) of_tasks += stage.exposed;
  CHECK(of_tasks != sum.exposed);
  // The table has means over stages, each rounded down.
  constexpr std::int64_t kKinds = 4;
  CHECK(std::abs((sum.hidden + sum.exposed).count() / stages - total) <= kKinds * stages);
  CHECK(std::abs(sum.exposed.count() / stages - exposed) <= kKinds * stages);
  check_sentences(PageBlocks().report(told_pass(known, 0, kNone)).json);
}
