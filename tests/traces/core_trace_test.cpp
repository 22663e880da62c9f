#include "traces/import/core_trace.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/core/error.h"
#include "tests/scratch_directory.h"
#include "traces/import/profile.h"
#include "traces/import/profile_report.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kRankOne = R"({"traceEvents": [
{"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "AIC0"}},
{"ph": "X", "name": "GMM1 e0 w0", "pid": 1, "tid": 7, "ts": 10, "dur": 57.12},
{"ph": "X", "name": "GMM1 e1 w0", "pid": 1, "tid": 7, "ts": 70, "dur": 30.5},
{"ph": "X", "name": "WAIT_GMM2", "pid": 1, "tid": 7, "ts": 101, "dur": 2},
{"ph": "X", "name": "GMM2", "pid": 1, "tid": 7, "ts": 103, "dur": 20},
{"ph": "X", "name": "SWIGLU", "pid": 1, "tid": "AIV_12", "ts": 68, "dur": 1.5},
{"ph": "X", "name": "FINALIZE", "pid": 1, "tid": "AIV12", "ts": 130, "dur": 4},
{"ph": "X", "name": "host", "pid": 1, "tid": "main", "ts": 0, "dur": 1}]})";

}  // namespace

TEST_CASE("a kernel's time line by core is read by stage and core, in our names") {
  const ScratchDirectory folder;
  folder.add("trace_rank1.json", kRankOne);
  const Profile profile = read_profile(folder.path());
  CHECK(profile.unit == ProfileUnit::kCore);
  REQUIRE(profile.ranks.size() == 1);
  const Names& names = profile.ranks.at(1).operators;
  CHECK(names.at("GMM1 on AIC 0").count == 2);
  CHECK(names.at("GMM1 on AIC 0").total == Duration(87'620'000));
  CHECK(names.at("GMM2 on AIC 0").total == Duration(20'000'000));
  CHECK(names.at("GMM2 on AIC 0").waited == Duration(2'000'000));
  CHECK(names.at("SwiGLU on AIV 12").total == Duration(1'500'000));
  CHECK(names.at("Accumulate on AIV 12").count == 1);
  CHECK(names.size() == 4);
  REQUIRE(profile.notes.size() == 1);
  CHECK_THAT(profile.notes[0], Contains("1 events on lanes that are no cores are left out"));
}

// From 10 to 134 us; AIC 0 works 107.62 us of them, AIC 1 does 20.
TEST_CASE("idle time of a kernel's cores is forced as far as dealing out tasks evenly leaves it") {
  const ScratchDirectory folder;
  std::string events = kRankOne;
  events.insert(events.rfind("]}"),
                R"(, {"ph": "X", "name": "GMM2", "pid": 1, "tid": "AIC1", "ts": 100, "dur": 20})");
  folder.add("trace_rank1.json", events);
  const Report report = profile_report(read_profile(folder.path()), kNone);
  const nlohmann::json cores = report.json().at("cores");
  const auto row =
      std::ranges::find(cores, "AIC 1", [](const nlohmann::json& one) { return one.at("core"); });
  REQUIRE(row != cores.end());
  CHECK(row->at("busy_ps") == 20'000'000);
  CHECK(row->at("forced_idle_ps") == (107'620'000 + 20'000'000) / 2 - 20'000'000);
  CHECK(row->at("avoidable_idle_ps") == 124'000'000 - (107'620'000 + 20'000'000) / 2);
  CHECK_THAT(report.text(), Contains("end no sooner than after 0.064 ms"));
}

TEST_CASE("a time line by core without times has no idle times") {
  const ScratchDirectory folder;
  std::string events = kRankOne;
  events.replace(events.find("\"ts\": 70, "), 10, "");
  folder.add("trace_rank1.json", events);
  CHECK_FALSE(profile_report(read_profile(folder.path()), kNone).json().contains("cores"));
}

TEST_CASE("a simulated run stands beside a time line by core, core by core") {
  Trace trace;
  trace.machine.workers = aic_and_aiv(2, 2);
  trace.operators.resize(1);
  trace.operators[0].name = "GMM1";
  trace.ranks.resize(2);
  for (const std::uint32_t worker : {0U, 1U}) {
    TraceTask task{};
    task.worker = worker;
    task.end = Duration(40'000'000);
    trace.ranks[1].push_back(task);
  }
  trace.makespan = Duration(40'000'000);
  const TracedPass pass{"forward", trace};
  const Profile simulated = profile_of({&pass, 1}, ProfileUnit::kCore);
  CHECK(simulated.ranks.at(1).operators.at("GMM1 on AIC 1").total == Duration(40'000'000));

  const ScratchDirectory folder;
  const Profile measured = read_profile(folder.add("rank_1.json", kRankOne));
  const nlohmann::json report = mismatch_report(measured, simulated, {}).json();
  const std::string text = report.dump();
  CHECK_THAT(text, Contains("GMM1 on AIC 0"));
  CHECK_THAT(text, Contains("GMM1 on AIC 1"));  // only simulated
}

TEST_CASE("two time lines of one rank, and one without events of cores, are refused") {
  const ScratchDirectory folder;
  folder.add("a/rank1.json", kRankOne);
  folder.add("a/copy_rank1.json", kRankOne);
  CHECK_THROWS_WITH(read_profile(folder / "a"), Contains("another file is of rank 1 too"));
  const auto none = folder.add("none.json", R"([{"ph": "M", "name": "AIC", "pid": 0, "tid": "AIC0"}])");
  CHECK_THROWS_WITH(read_profile(none), Contains("no events of cores"));
  const auto wrong =
      folder.add("wrong.json", R"([{"ph": "X", "name": "GMM1", "tid": "AIC0", "ts": 0, "dur": -1}])");
  CHECK_THROWS_WITH(read_profile(wrong), Contains("dur: -1"));
}
