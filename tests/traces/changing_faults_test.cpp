#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "sim/diagnosis/rules/choice.h"
#include "sim/diagnosis/rules/link_rates.h"
#include "tests/traces/made_observation.h"

// Faults that sit on sets of ranks, overlap, end, grow and move.
namespace a3sim {
namespace {

using Own = MadeObservation::Own;
using RankList = std::vector<std::uint32_t>;

const RuleBook& advice_rules() {
  static const RuleBook kRules = read_rules(std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/advice");
  return kRules;
}

const Finding& finding_named(const Advice& advice, const std::string& cause) {
  INFO(advice_text(advice));
  const auto found = std::ranges::find(advice.findings, cause, &Finding::cause);
  REQUIRE(found != advice.findings.end());
  return *found;
}

// How a rank's operators run in a step that is recorded in full: parts of the usual rates.
struct RankRates {
  double clock = 1, memory = 1;
};

// Adds a usual step of three operators a rank, of 2 ms of arithmetic and 1 ms beside it, and a full step.
template <class RatesOfRank>
void add_full_steps(MadeObservation& job, std::initializer_list<std::uint32_t> steps,
                    const RatesOfRank& rates_of) {
  job.usual = {};
  for (std::uint32_t r = 0; r < job.ranks(); ++r)
    for (std::uint32_t op = 0; op < 3; ++op) job.usual.operators.push_back(job.op(0, r, op, 3, 2));
  for (const std::uint32_t number : steps) {
    FullStep& step = job.full_records.emplace_back(job.usual);
    step.step = number;
    step.ranks = job.all_ranks();
    for (OperatorRecord& record : step.operators) {
      const RankRates rates = rates_of(number, record.rank);
      record.step = number;
      record.clock = static_cast<float>(rates.clock);
      record.arithmetic = made_ms(2 / rates.clock);
      record.run = record.end = made_ms((2 + 1 / rates.memory) / rates.clock);
    }
  }
}

void add_lag(Own& own, double ms) {
  own.work += ms;
  own.aic += ms;
}

TEST_CASE("a low clock and slow memory of one rank are two causes, of which each explains its part") {
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= 20 && rank == 1) add_lag(own, 7);
    return own;
  });
  // Of each operator 3 ms: 3 / 0.75 = 4 by the clock, and 1 / 0.75 more by half of the memory's rate.
  add_full_steps(job, {21}, [](std::uint32_t, std::uint32_t rank) {
    return rank == 1 ? RankRates{0.75, 0.5} : RankRates{};
  });
  const Advice advice = advise(job, advice_rules());
  CHECK(finding_named(advice, "compute.clock").explains == Approx(3.0 / 7));
  CHECK(finding_named(advice, "compute.hbm").explains == Approx(4.0 / 7));
  CHECK(finding_named(advice, "compute.hbm").ranks == RankList{1});
}

TEST_CASE("a rank that lags by little is no cause, however slow its memory") {
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= 20 && rank == 1) own.work += 8, own.transfer += 8;
    if (step >= 20 && rank == 2) add_lag(own, 0.3);
    return own;
  });
  add_full_steps(job, {21}, [](std::uint32_t, std::uint32_t rank) {
    return rank == 2 ? RankRates{1, 0.8} : RankRates{};
  });
  const Advice advice = advise(job, advice_rules());
  for (const Finding& finding : advice.findings) CHECK(finding.cause != "compute.hbm");
}

TEST_CASE("ports of half of the ranks are a slow set, not a slowdown of all") {
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t) {
    Own own;
    if (step >= 20) own.work += 3, own.transfer += 3;
    return own;
  });
  add_full_steps(job, {21}, [](std::uint32_t, std::uint32_t) { return RankRates{}; });
  for (std::uint32_t s = 0; s < 4; ++s) {
    for (std::uint32_t d = 0; d < 4; ++d) {
      const bool slow = s < 2 || d < 2;
      for (int i = 0; i < 8 && s != d; ++i) {
        job.usual.transfers.push_back(job.put(0, s, d, i, 1));
        job.full_records[0].transfers.push_back(job.put(21, s, d, slow ? 2 * i : i, slow ? 2 : 1));
      }
    }
  }
  const Advice advice = advise(job, advice_rules());
  const Finding& finding = finding_named(advice, "comm.link");
  CHECK(finding.ranks == RankList{0, 1});
  CHECK(finding.side == "both");
  CHECK(finding.factor == Approx(0.5));
  CHECK(advice.findings.size() == 1);
}

TEST_CASE("a port that is slow in one plane is a port, not the paths that use it") {
  // Ranks 0 and 1 lie on one node, 2 and 3 on the other; rank 0 sends slowly over what is between them.
  for (const bool path : {false, true}) {
    LinkRates rates(4);
    std::vector<TransferRecord> puts;
    puts.reserve(12);
    for (std::uint32_t s = 0; s < 4; ++s) {
      for (std::uint32_t d = 0; d < 4; ++d) {
        if (s == d) continue;
        puts.push_back(MadeObservation::put(0, s, d, 0, 1));
        puts.back().plane = s / 2 == d / 2 ? 0 : 1;
        rates.add_longest(puts.back());
        const bool slow = s == 0 && (path ? d == 2 : d >= 2);
        rates.cells[s][d] = slow ? std::log(0.3) : 0;
      }
    }
    const std::vector<SlowLink> links = slow_links_of(rates, {std::log(0.9), 0.4, 0.5, 0.5});
    REQUIRE(links.size() == 1);
    CHECK(links[0].factor == Approx(0.3));
    CHECK((links[0].kind == SlowLink::Kind::kPath) == path);
    if (!path) CHECK(links[0].ranks == RankList{0});
    if (!path) CHECK((links[0].egress && !links[0].ingress));
  }
}

TEST_CASE("transfers that are all slow alike are no port's") {
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t) {
    Own own;
    if (step >= 20) own.work += 3, own.transfer += 3;
    return own;
  });
  add_full_steps(job, {21}, [](std::uint32_t, std::uint32_t) { return RankRates{}; });
  for (std::uint32_t s = 0; s < 4; ++s) {
    for (std::uint32_t d = 0; d < 4; ++d) {
      for (int i = 0; i < 8 && s != d; ++i) {
        job.usual.transfers.push_back(job.put(0, s, d, i, 1));
        job.full_records[0].transfers.push_back(job.put(21, s, d, 2 * i, 2));
      }
    }
  }
  CHECK(finding_named(advise(job, advice_rules()), "comm.config").ranks.size() == 4);
}

TEST_CASE("faults that overlap have steps of their own") {
  // Rank 0's clock from step 10 on; rank 2's from 20 to 29.
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= 10 && rank == 0) add_lag(own, 1);
    if (step >= 20 && step < 30 && rank == 2) own.delay += 3;
    return own;
  });
  add_full_steps(job, {11, 21},
                 [](std::uint32_t, std::uint32_t rank) { return rank == 0 ? RankRates{0.9} : RankRates{}; });
  job.full_records[1].host.push_back(job.event(21, 2, HostKind::kLog, 3));
  const Advice advice = advise(job, advice_rules());
  const Finding& log = finding_named(advice, "host.environment");
  CHECK(log.first == 20);
  CHECK(log.last == 29);
  CHECK(log.ranks == RankList{2});
  const Finding& clock = finding_named(advice, "compute.clock");
  CHECK(clock.first == 10);
  CHECK(clock.last == 39);
  CHECK(clock.ranks == RankList{0});
}

TEST_CASE("a fault that ends is seen without a step to compare with, once steps are faster for good") {
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step < 16 && rank == 3) add_lag(own, 1);
    return own;
  });
  job.has_reference = false;
  add_full_steps(job, {5, 30}, [](std::uint32_t step, std::uint32_t rank) {
    return step < 16 && rank == 3 ? RankRates{0.9} : RankRates{};
  });
  job.usual = {};
  const Advice advice = advise(job, advice_rules());
  const Finding& finding = finding_named(advice, "compute.clock");
  CHECK(finding.first <= 1);
  CHECK(finding.last == 15);
  CHECK(finding.ranks == RankList{3});
}

TEST_CASE("a fault that grows says what it costs at its end") {
  const auto lag_in = [](std::uint32_t step) {
    return step < 10 ? 0 : step < 20 ? 0.5 : step < 30 ? 1.5 : 4.5;
  };
  MadeObservation job(4, 40, [&](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (rank == 1) add_lag(own, lag_in(step));
    return own;
  });
  add_full_steps(job, {11, 21, 31}, [&](std::uint32_t step, std::uint32_t rank) {
    return rank == 1 ? RankRates{9 / (9 + lag_in(step))} : RankRates{};
  });
  const Advice advice = advise(job, advice_rules());
  const Finding& finding = finding_named(advice, "compute.clock");
  REQUIRE(finding.parts.size() == 3);
  CHECK(finding.parts.front().lost_ms == Approx(0.5).margin(0.02));
  CHECK(finding.parts.back().lost_ms == Approx(4.5).margin(0.02));
  CHECK(finding.lost_ms == Approx((0.5 + 1.5 + 4.5) / 3).margin(0.02));
}

TEST_CASE("a clock that moves from rank to rank is one finding with its path") {
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= 8 && (step - 8) / 8 == rank) add_lag(own, 1);
    return own;
  });
  add_full_steps(job, {9, 17, 25, 33}, [](std::uint32_t step, std::uint32_t rank) {
    return (step - 8) / 8 == rank ? RankRates{0.9} : RankRates{};
  });
  const Advice advice = advise(job, advice_rules());
  REQUIRE(advice.findings.size() == 1);
  CHECK(advice.findings[0].moves);
  REQUIRE(advice.findings[0].parts.size() == 4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    CHECK(advice.findings[0].parts[rank].ranks == RankList{rank});
    CHECK(advice.findings[0].parts[rank].first == 8 + 8 * rank);
  }
}

TEST_CASE("what findings leave unexplained is said") {
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= 20 && rank == 1) add_lag(own, 3);
    return own;
  });
  // 9 ms of operators at 9 / 10 of the clock explain 1 of 3 ms.
  add_full_steps(job, {21},
                 [](std::uint32_t, std::uint32_t rank) { return rank == 1 ? RankRates{0.9} : RankRates{}; });
  const Advice advice = advise(job, advice_rules());
  CHECK(finding_named(advice, "compute.clock").explains == Approx(1.0 / 3).margin(0.01));
  REQUIRE(advice.unexplained.size() == 1);
  CHECK(advice.unexplained[0].lost_ms == Approx(2).margin(0.05));
}

TEST_CASE("a cause is ruled out against its own limit only") {
  for (const double clock : {1.0, 0.9}) {
    MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
      Own own;
      if (step >= 20 && rank == 1) own.delay = 5;
      return own;
    });
    add_full_steps(job, {21}, [&](std::uint32_t, std::uint32_t rank) {
      return rank == 3 ? RankRates{clock} : RankRates{};
    });
    job.full_records[0].host.push_back(job.event(21, 1, HostKind::kLog, 5));
    const Advice advice = advise(job, advice_rules());
    const Finding& finding = finding_named(advice, "host.environment");
    const bool out =
        std::ranges::find(finding.ruled_out, "compute.clock", &RuledOut::cause) != finding.ruled_out.end();
    CHECK(out == (clock == 1.0));
  }
}

TEST_CASE("where no queue was seen, a loader's event that fills the time is the cause") {
  for (const auto& [kind, cause] :
       {std::pair(HostKind::kFetch, "io.loading"), {HostKind::kProcess, "io.process"}}) {
    MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
      Own own;
      own.fill = {kNoFill, kNoFill, kNoFill};
      if (step >= 20 && rank == 1) own.delay = 5;
      return own;
    });
    add_full_steps(job, {21}, [](std::uint32_t, std::uint32_t) { return RankRates{}; });
    job.full_records[0].host.push_back(job.event(21, 1, kind, 5));
    job.full_records[0].host.push_back(job.event(21, 1, HostKind::kLaunch, 0.1));
    const Advice advice = advise(job, advice_rules());
    CHECK(finding_named(advice, cause).ranks == RankList{1});
    CHECK(advice.findings.size() == 1);
  }
}

TEST_CASE("hosts whose launches are late by chance, now here and now there, are one finding") {
  // In each step another two of eight ranks wait, by unlike times; rank 7 once, in a step that was not recorded.
  const auto delay = [](std::uint32_t step, std::uint32_t rank) {
    constexpr double kUnlike = 0.7;
    if (step < 16 || (rank == 7 && step != 38)) return 0.0;
    if (rank == 7) return 1.0;
    return (step + rank) % 4 == 0 ? 2 + kUnlike * ((step * 7 + rank * 3) % 5) : 0.0;
  };
  MadeObservation job(8, 40, [&](std::uint32_t step, std::uint32_t rank) {
    Own own;
    own.delay = delay(step, rank);
    return own;
  });
  add_full_steps(job, {17, 18, 19, 20}, [](std::uint32_t, std::uint32_t) { return RankRates{}; });
  for (FullStep& step : job.full_records)
    for (std::uint32_t r = 0; r < 7; ++r)
      step.host.push_back(job.event(step.step, r, HostKind::kLaunch, 0.01 + delay(step.step, r)));
  const Advice advice = advise(job, advice_rules());
  const Finding& finding = finding_named(advice, "host.contention");
  CHECK(finding.ranks == job.all_ranks());
  CHECK(finding.first == 16);
  CHECK(finding.last == 39);
  CHECK(advice.findings.size() == 1);
}

TEST_CASE("of two ranks that wait for their hosts at a time, each has its own cause") {
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= 20 && rank == 1) own.delay = 5;
    if (step >= 20 && rank == 2) own.delay = 4;
    return own;
  });
  add_full_steps(job, {21, 22}, [](std::uint32_t, std::uint32_t) { return RankRates{}; });
  for (FullStep& step : job.full_records) step.host.push_back(job.event(step.step, 1, HostKind::kLog, 5));
  const Advice advice = advise(job, advice_rules());
  CHECK(finding_named(advice, "host.environment").ranks == RankList{1});
  CHECK(finding_named(advice, "host.dispatch").ranks == RankList{2});
  CHECK(finding_named(advice, "host.dispatch").confidence <= 0.5);
}

TEST_CASE("a short wait for the host does not explain a long step") {
  // All steps are 1 ms longer on all ranks, which nothing shows as their own; rank 2 begins 0.1 ms late.
  for (const double delay : {0.1, 0.9}) {
    MadeObservation job(4, 40, [&](std::uint32_t step, std::uint32_t rank) {
      Own own;
      if (step >= 20) own.work += 1 - (rank == 2 ? delay : 0);
      if (step >= 20 && rank == 2) own.delay = delay;
      return own;
    });
    add_full_steps(job, {21, 22}, [](std::uint32_t, std::uint32_t) { return RankRates{}; });
    const Advice advice = advise(job, advice_rules());
    const bool named = std::ranges::any_of(advice.findings, [](const Finding& finding) {
      return finding.cause == "host.dispatch" && finding.ranks == RankList{2};
    });
    INFO(advice_text(advice));
    CHECK(named == (delay > 0.5));
  }
}

TEST_CASE("ranks whose queues of batches are empty too are named, although their devices wait for others") {
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= 20 && rank == 1) own.delay = 5;
    if (step >= 20 && rank < 3) own.fill = {0, 100, 100};
    return own;
  });
  add_full_steps(job, {21}, [](std::uint32_t, std::uint32_t) { return RankRates{}; });
  CHECK(finding_named(advise(job, advice_rules()), "io.fetch").ranks == RankList{0, 1, 2});
}

Finding finding_in(const char* cause, RankList ranks, std::uint32_t first, std::uint32_t last) {
  Finding finding;
  finding.cause = cause;
  finding.ranks = std::move(ranks);
  finding.first = first;
  finding.last = last;
  finding.lost_ms = 1;
  return finding;
}

TEST_CASE("a port that comes and goes is not steadily slow in some of these steps as well") {
  std::vector<Finding> joined =
      join({finding_in("comm.link", {3}, 14, 25), finding_in("comm.flapping", {3}, 6, 35),
            finding_in("comm.link", {2}, 14, 25)});
  REQUIRE(joined.size() == 2);
  CHECK(joined[0].cause == "comm.flapping");
  CHECK(joined[0].lost_ms == Approx((30 + 12) / 30.0));
  CHECK(joined[1].ranks == RankList{2});
  const Finding flapping = finding_in("comm.flapping", {3}, 16, 35);
  CHECK(join({flapping, finding_in("comm.link", {3}, 14, 15)}).size() == 1);
  CHECK(join({flapping, finding_in("comm.link", {3}, 13, 14)}).size() == 2);
}

TEST_CASE("hosts that share no rank, and ports that do, stay apart") {
  CHECK(join({finding_in("host.gc", {0, 1}, 5, 9), finding_in("host.gc", {2, 3}, 5, 9)}).size() == 2);
  CHECK(join({finding_in("host.gc", {0, 1}, 5, 9), finding_in("host.gc", {1, 3}, 5, 9)}).size() == 1);
  CHECK(join({finding_in("comm.link", {0, 1}, 5, 9), finding_in("comm.link", {1, 3}, 5, 9)}).size() == 2);
}

TEST_CASE("a lone slow step before many is of another fault") {
  // Rank 3 lags in step 12 alone; from step 22 on rank 1 does in all steps.
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step == 12 && rank == 3) own.work += 3;
    if (step >= 22 && rank == 1) add_lag(own, 1);
    return own;
  });
  add_full_steps(job, {23, 24},
                 [](std::uint32_t, std::uint32_t rank) { return rank == 1 ? RankRates{0.9} : RankRates{}; });
  const Advice advice = advise(job, advice_rules());
  CHECK(finding_named(advice, "compute.clock").first == 22);
  CHECK(finding_named(advice, kCauseOpen).ranks == RankList{3});
  CHECK(finding_named(advice, kCauseOpen).last == 12);
}

TEST_CASE("a fault that comes and goes on one rank ends where others lag in turn") {
  // Rank 0 in steps 10, 11 and 13; from 15 on ranks 2 and 3 in turn, by as much.
  MadeObservation job(4, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if ((step == 10 || step == 11 || step == 13) && rank == 0) add_lag(own, 1);
    if (step >= 15 && rank == 2 + step % 2) own.delay = 1;
    return own;
  });
  add_full_steps(job, {11, 13, 16, 17}, [](std::uint32_t step, std::uint32_t rank) {
    return step < 15 && rank == 0 ? RankRates{0.9} : RankRates{};
  });
  for (FullStep& step : job.full_records)
    if (step.step > 15) step.host.push_back(job.event(step.step, 2 + step.step % 2, HostKind::kLog, 1));
  const Advice advice = advise(job, advice_rules());
  CHECK(finding_named(advice, "compute.clock").last == 13);
  CHECK(finding_named(advice, "host.environment").first == 15);
  CHECK(finding_named(advice, "host.environment").ranks == RankList{2, 3});
}

}  // namespace
}  // namespace a3sim
