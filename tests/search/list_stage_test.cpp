#include "sim/search/list_stage.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "scheduler/orders/order_csv.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/run/equal_schedules.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/search/search_overlay.h"
#include "sim/search/search_report.h"
#include "sim/search/search_store.h"
#include "sim/search/task_lists.h"
#include "tests/scratch_directory.h"
#include "tests/search/small_search.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

const char* const kNoOtherOrder = R"(
space:
  workloads: []
  queues:
    vtq:
      tile: [op * 1000 + index, op * 2000 + 2 * index]
)";

SearchProblem serial_tiles() {
  return {small_swiglu_add({"order.vtq=[op * 1000 + index]"}), space_of(kNoOtherOrder), true};
}

SearchOptions with_moves(std::uint32_t moves, unsigned threads = 1) {
  SearchOptions options = one_run(2, 1);
  options.moves = moves;
  options.threads = threads;
  return options;
}

SearchFindings findings_of(const SearchProblem& problem, const SearchOptions& options) {
  CandidateRuns runs(problem, options.threads, nullptr);
  return search_and_explain(problem, options, runs);
}

}  // namespace

TEST_CASE("moving slices of SwiGLU and Add finds an interleaving where keys know none") {
  const SearchProblem problem = serial_tiles();
  const SearchFindings found = findings_of(problem, with_moves(160));
  REQUIRE(found.lists.gained());
  CHECK(found.outcome.trained() == 0);  // the space has nothing faster
  CHECK(found.trained() > 0.005);
  CHECK(found.trained() == Approx(1 - found.lists.after));
  double sum = 0;
  for (const ListMove& move : found.lists.kept) sum += move.gain;
  CHECK(sum == Approx(found.lists.before - found.lists.after));
  CHECK(found.lists.tried <= 160);
}

TEST_CASE("where the lists found are of other tasks, the keys that they came from run") {
  const SearchProblem problem(
      small_swiglu_add({"order.vtq=[op * 1000 + index]"}),
      space_of(std::string(kNoOtherOrder) +
               "  held_out:\n    fewer: {graph.sizes.tiles: 64}\n    polls: {experiment.poll.aiv: 10 ns}\n"),
      true);
  const SearchFindings found = findings_of(problem, with_moves(80));
  REQUIRE(found.lists.gained());
  const std::vector<VerifiedGain>& elsewhere = found.judgement.verified.elsewhere;
  REQUIRE(elsewhere.size() == 2);
  const VerifiedGain &fewer = elsewhere[0], &same = elsewhere[1];
  CHECK(fewer.refused.empty());
  CHECK(fewer.by_keys);
  CHECK(fewer.gain == 0);  // the keys are those of the order to start from
  CHECK_FALSE(same.by_keys);
  CHECK(same.gain > 0.005);
}

TEST_CASE("lists stand in a file beside the order, and run from there as they ran in the search") {
  const SearchProblem problem = serial_tiles();
  const SearchFindings found = findings_of(problem, with_moves(80));
  REQUIRE(found.lists.gained());
  const ScratchDirectory folder;
  folder.add("lists.csv", found.lists.csv);
  folder.add("found.yaml",
             overlay_text(problem, found.outcome.winner().candidate,
                          configs_folder() / "experiments" / "swiglu_add.yaml",
                          std::vector<std::string>{"graph.sizes.rows=4096", "graph.sizes.cols=512",
                                                   "graph.sizes.tiles=128", "workers.aiv=8", "l2.mode=pieces",
                                                   "hardware.memory.l2_size={value: 3 MiB, source: small}"},
                          "lists", "lists.csv"));
  const Experiment from_file = load_experiment(folder.path() / "found.yaml", {});
  const auto work = from_file.work->prepare(from_file, 1);
  const double latency =
      static_cast<double>(work->run(from_file, 0, {}, Duration::max(), Record::kLatency).latency.count());
  const double best = static_cast<double>(found.outcome.reference_runs.best().front().front().count());
  CHECK(latency / best == Approx(found.lists.after));
  for (const CoreUnit unit : {CoreUnit::kMatrix, CoreUnit::kVector}) {
    auto read = read_order_csv(found.lists.csv, "lists.csv", unit);
    auto had = found.lists.listed.order.list[static_cast<std::size_t>(unit)];
    REQUIRE(read.size() == had.size());
    CHECK(std::ranges::equal(read, had, [](const auto& a, const auto& b) {
      return a.rank == b.rank && a.op == b.op && a.index == b.index;
    }));
  }
}

TEST_CASE("moves do not depend on the number of threads, and none is made for several routings", "[slow]") {
  const SearchProblem problem(small_moe(), read_space(configs_folder() / "spaces" / "moe_ffn.yaml"));
  const SearchFindings one = findings_of(problem, with_moves(40)),
                       two = findings_of(problem, with_moves(40, 2));
  CHECK(one.lists.csv == two.lists.csv);
  CHECK(one.lists.tried == 40);
  CHECK(search_report(problem, with_moves(40), one).text() ==
        search_report(problem, with_moves(40), two).text());
  SearchOptions robust = with_moves(40);
  robust.objective = SearchObjective::kMean;
  robust.draws = {1, 1};
  const SearchFindings keys = findings_of(problem, robust);
  CHECK_FALSE(keys.lists.gained());
  CHECK_THAT(keys.lists.why_not, Contains("--objective one"));
}

TEST_CASE("moves that a database knows are not run again, and end as they would without it", "[slow]") {
  const SearchProblem problem(small_moe(), read_space(configs_folder() / "spaces" / "moe_ffn.yaml"));
  const ScratchDirectory folder;
  const SearchFindings whole = findings_of(problem, with_moves(60));
  const auto with_store = [&](std::uint32_t moves, std::size_t& runs_made) {
    SearchStore store(folder.path() / "moves.db");  // as a process that starts again opens it
    CandidateRuns runs(problem, 1, &store);
    SearchFindings found = search_and_explain(problem, with_moves(moves), runs);
    runs_made = runs.runs();
    return found;
  };
  std::size_t half = 0, rest = 0, none = 0;
  with_store(30, half);
  const SearchFindings resumed = with_store(60, rest), again = with_store(60, none);
  for (const SearchFindings* found : {&resumed, &again}) {
    CHECK(found->lists.csv == whole.lists.csv);
    CHECK(found->lists.tried == whole.lists.tried);
    CHECK(found->lists.after == whole.lists.after);
    CHECK(found->judgement.gain == whole.judgement.gain);
  }
  CHECK(none < rest);
  CHECK(rest < half);  // the first half of the moves, and the search, are there
}

TEST_CASE("a run of tasks moves as a whole, and all others keep their order") {
  const Experiment experiment = small_moe();
  const auto work = experiment.work->prepare(experiment, 1);
  const Compiled& compiled = *work->schedules();
  const TaskLists before(compiled);
  TaskLists after = before;
  const Ssc& ssc = compiled.passes[0].schedule[1];
  const std::uint32_t last = ssc.queue(0).back();
  const TaskRun run = task_run(ssc, last);
  after.apply({0, 0, run, 1, true, 5});
  const auto lines = [](const TaskLists& lists, bool of_rank) {
    auto list = lists.listed({}, "f").list[0];
    std::erase_if(list, [&](const auto& line) { return (line.rank == 1) != of_rank; });
    for (auto& line : list) line.line = 0;
    return list;
  };
  CHECK(lines(before, false) == lines(after, false));  // other ranks are as they were
  auto was = lines(before, true), is = lines(after, true);
  CHECK(was != is);
  const auto is_moved = [&](const auto& line) {
    for (std::uint32_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskDescriptor& td = ssc.tasks()[t];
      if (ssc.operators()[td.op].name == line.op && td.task_index == line.index)
        return task_run(ssc, t) == run;
    }
    return false;
  };
  const auto first = std::ranges::find_if(is, is_moved);
  const std::uint32_t size = before.size(0, 1, 0, run);
  REQUIRE(size > 0);
  CHECK(std::ranges::all_of(first, first + size, is_moved));  // together
  std::erase_if(was, is_moved);
  std::erase_if(is, is_moved);
  CHECK(was == is);
}
