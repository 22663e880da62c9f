#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/diagnosis/locate/episodes.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "sim/diagnosis/rules/choice.h"
#include "sim/diagnosis/rules/hosts.h"
#include "tests/traces/made_observation.h"

// Two faults at a time, of which each has to be told from what the other one does.
namespace a3sim {
namespace {

using Own = MadeObservation::Own;
using RankNumbers = std::vector<std::uint32_t>;
constexpr std::uint32_t kFrom = 20, kTo = 40;

Advice advice_by_rules(const MadeObservation& job) {
  static const RuleBook kRules = read_rules(std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/advice");
  return advise(job, kRules);
}

const Finding* found(const Advice& advice, const std::string& cause) {
  const auto at = std::ranges::find(advice.findings, cause, &Finding::cause);
  return at == advice.findings.end() ? nullptr : &*at;
}

// A job of four ranks, each of which takes `longer(step, rank)` ms longer on its own.
template <class Longer>
MadeObservation job_with(const Longer& longer) {
  return {4, kTo, [&](std::uint32_t step, std::uint32_t rank) {
            Own own;
            own.work += longer(step, rank);
            return own;
          }};
}

// A job that transfers slow down by `ms` from step 20 on.
MadeObservation job_of_transfers(double ms) {
  return {4, kTo, [&](std::uint32_t step, std::uint32_t) {
            Own own;
            if (step >= kFrom) own.work += ms, own.transfer += ms;
            return own;
          }};
}

// Adds steps that were recorded in full on all ranks, with three operators a rank as ever.
void add_full(MadeObservation& job, std::initializer_list<std::uint32_t> steps) {
  for (std::uint32_t r = 0; r < 4; ++r)
    for (std::uint32_t op = 0; op < 3; ++op) job.usual.operators.push_back(job.op(0, r, op, 3, 2));
  for (const std::uint32_t number : steps) {
    FullStep& step = job.full_records.emplace_back(job.usual);
    step.step = number;
    step.ranks = job.all_ranks();
    for (OperatorRecord& record : step.operators) record.step = number;
  }
}

// Adds `count` puts from each rank to each other one, one after another, usually of 1 ms each; `length` gives the ms of
// put i in a step.
template <class Length>
void add_puts(MadeObservation& job, int count, const Length& length) {
  for (std::uint32_t s = 0; s < 4; ++s) {
    for (std::uint32_t d = 0; d < 4; ++d) {
      for (int i = 0; i < count && s != d; ++i) {
        job.usual.transfers.push_back(job.put(0, s, d, i, 1));
        for (FullStep& step : job.full_records) {
          const double ms = length(step.step, s, d, i);
          step.transfers.push_back(job.put(step.step, s, d, i * ms, ms));
        }
      }
    }
  }
}

TEST_CASE("one fault comes and goes and ends; another, on another rank, has steps of its own") {
  const auto job = job_with([](std::uint32_t step, std::uint32_t rank) {
    if (rank == 1 && step >= 20 && step <= 28 && step % 2 == 0) return 3.0;
    return rank == 2 && step == 34 ? 3.0 : 0.0;
  });
  const Located located = locate(job, LocateLimits());
  REQUIRE(located.episodes.size() == 2);
  CHECK(located.episodes[0].last() == 28);
  CHECK(located.episodes[1].first() == 34);
}

TEST_CASE("records are borrowed from steps with as many rows only") {
  for (const bool same_rows : {true, false}) {
    const MadeObservation made(4, kTo, [&](std::uint32_t step, std::uint32_t rank) {
      Own own;
      if (rank == 1 && step >= 10) own.work += 3;
      if (rank == 1 && step >= 14 && step < 24) own.work += 1.5;  // an interval of its own
      if (rank == 1 && step >= 24 && !same_rows) own.rows = 120;
      return own;
    });
    MadeObservation job = made;
    add_full(job, {26, 27});
    const Located located = locate(job, LocateLimits());
    REQUIRE(located.episodes.size() >= 2);
    const Episode& first = located.episodes.front();
    CHECK(first.borrowed == same_rows);
    CHECK(first.recorded.empty() == !same_rows);
    CHECK(first.seen.size() == 4);
  }
}

TEST_CASE("ranks that lag in turn, again and again, are of one fault") {
  const auto job = job_with([](std::uint32_t step, std::uint32_t rank) {
    return step >= 20 && step % 2 == 0 && rank == step / 2 % 4 ? 3.0 : 0.0;
  });
  CHECK(locate(job, LocateLimits()).episodes.size() == 1);
}

TEST_CASE("behind every second step that is slow, each that is slower is of another fault") {
  const auto job = job_with([](std::uint32_t step, std::uint32_t rank) {
    if (rank != 1 || step < 10) return 0.0;
    if (step >= 22) return 4.0;
    return step % 2 == 0 ? 1.0 : 0.0;
  });
  const Located located = locate(job, LocateLimits());
  REQUIRE(located.episodes.size() == 2);
  CHECK(located.episodes[0].first() == 10);
  CHECK(located.episodes[0].last() == 20);
  CHECK(located.episodes[1].first() == 22);
}

TEST_CASE("an operator that is slow beside more rows is compared with as many rows, and found") {
  for (const bool slow : {true, false}) {
    MadeObservation job(4, kTo, [&](std::uint32_t step, std::uint32_t rank) {
      Own own;
      if (step < kFrom) return own;
      own.rows = rank == 1 ? 120 : 80;
      own.work = own.aic = (rank == 1 ? 1.2 : 0.8) * 9 + (slow ? 3 : 0);
      return own;
    });
    add_full(job, {kFrom + 1});
    for (OperatorRecord& record : job.full_records[0].operators) {
      const double work = record.rank == 1 ? 1.2 : 0.8;
      record.operations *= work;
      record.arithmetic = made_ms(2 * work);
      record.run = record.end = made_ms(3 * work + (slow && record.op == 1 ? 3 : 0));
    }
    const Advice advice = advice_by_rules(job);
    INFO(advice_text(advice));
    const Finding* operators = found(advice, "compute.underused");
    CHECK((operators != nullptr) == slow);
    if (operators) CHECK(operators->operators == std::vector<std::string>{"B"});
  }
}

TEST_CASE("a put that waits for a timeout is a resend, though no other goes the same way") {
  MadeObservation job = job_of_transfers(8);
  add_full(job, {21, 22, 23, 24});
  // Rank 2 sends one put to each; once that to rank 0 waits, while those to 1 and 3 do not.
  add_puts(job, 1, [](std::uint32_t step, std::uint32_t s, std::uint32_t d, int) {
    return s == 2 && d == 0 && step == 22 ? 9.4 : 1.0;
  });
  const Advice advice = advice_by_rules(job);
  INFO(advice_text(advice));
  const Finding* resend = found(advice, "comm.resend");
  REQUIRE(resend != nullptr);
  CHECK(resend->ranks == RankNumbers{2});
  CHECK(found(advice, "comm.link") == nullptr);
}

TEST_CASE("packets are lost by chance: a put that is late in each step, or by no timeout, is no resend") {
  constexpr double kTimeout = 8.39, kOther = 5.9;  // ms; 4.096 us * 2^11, and half way to the one before
  for (const bool always : {false, true}) {
    for (const double wait : {kTimeout, kOther}) {
      MadeObservation job = job_of_transfers(8);
      add_full(job, {21, 22, 23, 24});
      add_puts(job, 4, [&](std::uint32_t step, std::uint32_t s, std::uint32_t d, int i) {
        return s == 2 && d == 0 && i == 0 && (always || step == 22) ? 1 + wait : 1.0;
      });
      const Advice advice = advice_by_rules(job);
      INFO(advice_text(advice) << always << ' ' << wait);
      CHECK((found(advice, "comm.resend") != nullptr) == (!always && wait == kTimeout));
    }
  }
}

TEST_CASE("beside a host that explains much, a resend that was seen costs the rest") {
  Finding host, resend;
  host.cause = "host.sync";
  resend.cause = "comm.resend";
  host.ranks = resend.ranks = {1};
  host.explains = 0.7;
  resend.explains = 0.9;
  std::vector<Finding> chosen = choose({resend, host}, 1);
  REQUIRE(chosen.size() == 2);
  CHECK(chosen[0].cause == "host.sync");
  CHECK(chosen[1].explains == Approx(0.3));
  host.explains = 1;  // nothing is left
  CHECK(choose({resend, host}, 1).size() == 1);
}

TEST_CASE("cores that are busier on one rank take nothing from what slow ways cost another") {
  for (const bool same_rank : {false, true}) {
    MadeObservation job(4, kTo, [&](std::uint32_t step, std::uint32_t rank) {
      Own own;
      if (step < kFrom) return own;
      if (rank == 1) own.work += 4, own.aic += 4;
      if (rank == (same_rank ? 1U : 2U)) own.transfer += 4;
      if (rank == 2 && !same_rank) own.work += 4;
      return own;
    });
    add_full(job, {21});
    add_puts(job, 4, [](std::uint32_t, std::uint32_t s, std::uint32_t d, int) {
      return s == 2 && d == 3 ? 3.0 : 1.0;
    });
    const Advice advice = advice_by_rules(job);
    INFO(advice_text(advice));
    CHECK((found(advice, "comm.link") != nullptr) == !same_rank);
  }
}

TEST_CASE("one long put of many makes no slow path") {
  for (const bool all : {false, true}) {
    MadeObservation job = job_of_transfers(8);
    add_full(job, {21});
    add_puts(job, 4, [&](std::uint32_t, std::uint32_t s, std::uint32_t d, int i) {
      return s == 1 && d == 3 && (all || i == 3) ? 9.0 : 1.0;
    });
    const Advice advice = advice_by_rules(job);
    INFO(advice_text(advice));
    CHECK((found(advice, "comm.link") != nullptr) == all);
  }
}

TEST_CASE("a port whose same puts are slow now and fast then comes and goes, however even each step is") {
  for (const bool flaps : {true, false}) {
    MadeObservation job = job_of_transfers(4);
    add_full(job, {21, 22, 23});
    add_puts(job, 6, [&](std::uint32_t step, std::uint32_t s, std::uint32_t, int) {
      if (s != 1) return 1.0;
      return flaps && step == 22 ? 1.0 : 3.0;
    });
    const Advice advice = advice_by_rules(job);
    INFO(advice_text(advice));
    CHECK((found(advice, "comm.flapping") != nullptr) == flaps);
    CHECK((found(advice, "comm.link") != nullptr) == !flaps);
  }
}

// A cause on some ranks that explains a part of the lag.
Finding cause_of(const char* cause, RankNumbers ranks, double explains, double factor = 0) {
  Finding finding;
  finding.cause = cause;
  finding.ranks = std::move(ranks);
  finding.explains = explains;
  finding.factor = factor;
  return finding;
}

std::vector<std::string> chosen_of(std::vector<Finding> candidates) {
  std::vector<std::string> names;
  for (const Finding& finding : choose(std::move(candidates), 1)) names.push_back(finding.cause);
  return names;
}

TEST_CASE("small transfers do not slow one port much more than the others") {
  const Finding small = cause_of("comm.small", {0, 1, 2, 3}, 1);
  const auto beside = [&](Finding way) { return chosen_of({small, std::move(way)}); };
  using Causes = std::vector<std::string>;
  CHECK(beside(cause_of("comm.link", {2}, 0.97, 0.25)) == Causes{"comm.link"});
  CHECK(beside(cause_of("comm.link", {2}, 0.5, 0.25)) == Causes{"comm.small", "comm.link"});
  CHECK(beside(cause_of("comm.link", {2}, 0.97, 0.8)) == Causes{"comm.small"});
  // All ports of a plane: it may have a larger startup.
  CHECK(beside(cause_of("comm.link", {0, 1, 2, 3}, 0.97, 0.25)) == Causes{"comm.small"});
  // A way that single late puts slow leaves small transfers what they cost.
  const Finding resend = cause_of("comm.resend", {2}, 1);
  CHECK(chosen_of({small, resend, cause_of("comm.link", {2}, 0.97, 0.25)}) ==
        Causes{"comm.small", "comm.resend"});
}

TEST_CASE("a rank whose host does something else than those of the slowest waits for its own events") {
  using Causes = std::vector<std::string>;
  const Finding compile = cause_of("host.compile", {2, 3}, 1);
  CHECK(chosen_of({compile, cause_of("host.sync", {0, 2}, 0.8)}) == Causes{"host.compile", "host.sync"});
  CHECK(chosen_of({compile, cause_of("host.sync", {2}, 0.8)}) == Causes{"host.compile"});
}

TEST_CASE("where all ways between two sides are slow, advice says that either side's ports may be") {
  MadeObservation job = job_of_transfers(8);
  add_full(job, {21, 22, 23});
  const auto crosses = [](std::uint32_t s, std::uint32_t d) { return s / 2 != d / 2; };
  add_puts(job, 4,
           [&](std::uint32_t, std::uint32_t s, std::uint32_t d, int) { return crosses(s, d) ? 3.0 : 1.0; });
  const auto set_planes = [&](FullStep& step) {
    for (TransferRecord& put : step.transfers) put.plane = crosses(put.src, put.dst) ? 1 : 0;
  };
  set_planes(job.usual);
  for (FullStep& step : job.full_records) set_planes(step);
  job.allowed().planes.push_back({"rdma", 50e9, 50e9, made_ms(0), 1});
  const Advice advice = advice_by_rules(job);
  INFO(advice_text(advice));
  const Finding* plane = found(advice, "comm.link");
  REQUIRE(plane != nullptr);
  CHECK(plane->confidence < 0.5);
  REQUIRE_FALSE(plane->missing.empty());
  CHECK(plane->missing.front() ==
        "which end is slow: it may be the ports of ranks 0, 1 alone, or those of ranks 2, 3");
}

TEST_CASE("a moment in which puts overlap does not make a port that is slow all the time come and go") {
  MadeObservation job = job_of_transfers(4);
  add_full(job, {21, 22, 23});
  add_puts(job, 4, [](std::uint32_t, std::uint32_t s, std::uint32_t, int) { return s == 1 ? 1.7 : 1.0; });
  // Short puts of rank 1, which lie between the others usually, and beside them in slow steps.
  constexpr double kLength = 0.04, kBytes = 3e4;
  for (const std::uint32_t d : {0U, 2U, 3U}) {
    job.usual.transfers.push_back(job.put(0, 1, d, 4.53, kLength, kBytes));
    for (FullStep& step : job.full_records)
      step.transfers.push_back(job.put(step.step, 1, d, 1.03, kLength, kBytes));
  }
  const Advice advice = advice_by_rules(job);
  INFO(advice_text(advice));
  CHECK(found(advice, "comm.flapping") == nullptr);
  CHECK(found(advice, "comm.link") != nullptr);
}

TEST_CASE("a port that gets slower from step to step does not come and go") {
  MadeObservation job = job_of_transfers(4);
  add_full(job, {21, 22, 23});
  add_puts(job, 6, [&](std::uint32_t step, std::uint32_t s, std::uint32_t, int) {
    return s == 1 ? 1.5 + 1.5 * (step - 21) : 1.0;
  });
  const Advice advice = advice_by_rules(job);
  INFO(advice_text(advice));
  CHECK(found(advice, "comm.flapping") == nullptr);
  CHECK(found(advice, "comm.link") != nullptr);
}

TEST_CASE("what a host does one after another shares the time for which its device waits") {
  MadeObservation job(4, kTo, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= kFrom && rank == 1) own.delay = 4;
    return own;
  });
  add_full(job, {21});
  job.full_records[0].host = {job.event(21, 1, HostKind::kLaunch, 2.4),
                              job.event(21, 1, HostKind::kCompile, 1.6)};
  const Advice advice = advice_by_rules(job);
  INFO(advice_text(advice));
  REQUIRE(found(advice, "host.dispatch") != nullptr);
  REQUIRE(found(advice, "host.compile") != nullptr);
  CHECK(found(advice, "host.dispatch")->explains == Approx(0.6));
  CHECK(found(advice, "host.compile")->explains == Approx(0.4));
}

TEST_CASE("a host's wait is compared with its events in the steps in which it was recorded") {
  MadeObservation job(4, kTo, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= kFrom && rank == 1 + step % 2) own.delay = 4;
    return own;
  });
  add_full(job, {21, 22});
  // Rank 2 writes logs in odd steps, rank 1 collects garbage in even ones; each was recorded in its own steps only.
  job.full_records[0].ranks = {0, 2};
  job.full_records[0].host = {job.event(21, 2, HostKind::kLog, 4)};
  job.full_records[1].ranks = {0, 1};
  job.full_records[1].host = {job.event(22, 1, HostKind::kCollect, 4)};
  const Advice advice = advice_by_rules(job);
  INFO(advice_text(advice));
  REQUIRE(found(advice, "host.environment") != nullptr);
  REQUIRE(found(advice, "host.gc") != nullptr);
  CHECK(found(advice, "host.environment")->ranks == RankNumbers{2});
  CHECK(found(advice, "host.gc")->ranks == RankNumbers{1});
}

TEST_CASE("a finding about a host has the steps in which its ranks waited, not all that other faults slow") {
  const MadeObservation job = job_with([](std::uint32_t, std::uint32_t) { return 0.0; });
  static const RuleBook kRules = read_rules(std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/advice");
  Located located;
  located.usual = picoseconds(made_ms(10));
  located.healthy.resize(2);
  located.healthy[1][Measure::kLate] = picoseconds(made_ms(1));
  Episode episode;
  episode.steps = {3, 4, 6, 7, 9};
  const auto late = static_cast<float>(picoseconds(made_ms(3)));
  const auto usual = static_cast<float>(picoseconds(made_ms(1)));
  episode.host_waits = {{0, usual}, {0, late}, {0, usual}, {0, late}, {0, usual}};
  const FullStep none;
  const Slowdown slowdown{job, located, episode, {}, none, kRules.shared, {}, {}, {}, {}, {}};
  using Steps = std::pair<std::size_t, std::size_t>;
  CHECK(host_steps(slowdown, {1}) == Steps{1, 4});
  CHECK(host_steps(slowdown, {0, 1}) == Steps{1, 4});
  CHECK(host_steps(slowdown, {0}) == Steps{0, 0});  // not known: it never waited
}

}  // namespace
}  // namespace a3sim
