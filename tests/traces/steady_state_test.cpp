#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/diagnosis/rules/advice_report.h"
#include "tests/traces/single_step.h"

namespace a3sim {
namespace {

using Own = MadeObservation::Own;

TEST_CASE("a step whose ranks have more rows than others loses what equal rows would save the busiest") {
  const auto uneven = [](Own& own, std::uint32_t rank) {
    if (rank == 1) own.work = 15, own.aic = 12, own.rows = 150;
  };
  const std::optional<Finding> finding = found(single_step(uneven), "load.imbalance");
  REQUIRE(finding);
  CHECK(finding->ranks == std::vector<std::uint32_t>{1});
  CHECK(finding->steady);
  // 150 rows took 15 ms; of the mean, 112.5, it would be 11.25.
  CHECK(finding->lost_ms == Approx(15 - 11.25));
  CHECK_FALSE(found(single_step(), "load.imbalance"));
}

TEST_CASE("where rows are not seen, nor operations, nothing is said of balance") {
  const auto unseen = [](Own& own, std::uint32_t rank) {
    own.rows = 0;
    if (rank == 1) own.work = 15;
  };
  CHECK_FALSE(found(single_step(unseen), "load.imbalance"));
}

TEST_CASE(
    "communication that nothing is computed beside could hide, and no more than there is to hide behind") {
  MadeObservation job = single_step();
  communicate_behind(job);
  const std::optional<Finding> finding = found(job, "parallel.overlap");
  REQUIRE(finding);
  CHECK(finding->ranks.size() == kStepRanks);
  CHECK(finding->lost_ms == Approx(kTransfers));
  MadeObservation beside = single_step();
  for (std::uint32_t r = 0; r < kStepRanks; ++r) {
    add_operator(beside, r, 0, 0, 10);
    add_operator(beside, r, 1, 0, 9, Lane::kCommunication);
  }
  CHECK_FALSE(found(beside, "parallel.overlap"));
}

// One operator of 5 ms per rank that reaches a part of what cores or the memory give.
MadeObservation of_roof(double cores, double memory) {
  constexpr double kSeconds = 5e-3;
  MadeObservation job = single_step();
  for (std::uint32_t r = 0; r < kStepRanks; ++r) {
    OperatorRecord& record = add_operator(job, r, 1, 0, 5);
    record.operations = cores * kSeconds * job.machine().cube_rate;
    record.hbm_bytes = memory * kSeconds * job.machine().hbm_read;
  }
  return job;
}

TEST_CASE("an operator far from both roofs loses its time above what the nearer one allows") {
  for (const auto& [cores, memory] : {std::pair(0.4, 0.1), std::pair(0.1, 0.4)}) {
    const std::optional<Finding> finding = found(of_roof(cores, memory), "compute.underused");
    REQUIRE(finding);
    CHECK(finding->operators == std::vector<std::string>{"B"});
    CHECK(finding->lost_ms == Approx(5 * (1 - 0.4 / 0.8)));
    CHECK_FALSE(finding->info);
  }
}

TEST_CASE("a simulated operator at a roof is healthy: it is no cause of anything") {
  for (const auto& [cause, cores, memory] :
       {std::tuple("compute.bound", 0.9, 0.1), std::tuple("compute.memory", 0.1, 0.9)}) {
    const MadeObservation job = of_roof(cores, memory);
    CHECK_FALSE(found(job, cause));
    CHECK_FALSE(found(job, "compute.underused"));
  }
}

TEST_CASE("evidence that is a share says it in its sentence") {
  const Evidence reached{"GMM1 on rank 0 reaches {} of what the machine allows", "", 0.8653, 0.8, ""};
  CHECK(evidence_text(reached) == "GMM1 on rank 0 reaches 87 % of what the machine allows (threshold 80 %)");
  const Evidence waits{"rank 3 waits {} for its host", "ms per step", 12.5, 2, ""};
  CHECK(evidence_text(waits) == "rank 3 waits 12.5 ms per step for its host (threshold 2 ms per step)");
}

TEST_CASE("no rank is done before its transfers are, whatever computing gains") {
  MadeObservation job = single_step([](Own& own, std::uint32_t) { own.transfer = kOwnWork - 1; });
  for (std::uint32_t r = 0; r < kStepRanks; ++r) add_operator(job, r, 0, 0, 5).operations = 1;
  const std::optional<Finding> finding = found(job, "compute.underused");
  REQUIRE(finding);
  CHECK(finding->lost_ms == Approx(1));
}

TEST_CASE("a put is compared with those that shared their ports as it did") {
  // Operator 2 puts between all pairs; that from 1 to 0 takes twice as long as the others.
  for (const bool shares : {false, true}) {
    MadeObservation job = single_step();
    for (std::uint32_t s = 0; s < kStepRanks; ++s) {
      for (std::uint32_t d = 0; d < kStepRanks; ++d) {
        if (s == d) continue;
        const bool slow = s == 1 && d == 0;
        TransferRecord& put = job.full_records[0].transfers.emplace_back(
            MadeObservation::put(0, s, d, slow ? 0 : 5, slow ? 4 : 2));
        put.op = 2;
      }
    }
    for (std::uint32_t r = 0; r < kStepRanks; ++r) {
      OperatorRecord& collective = add_operator(job, r, 1, 0, shares ? 3 : 1, Lane::kCommunication);
      collective.sent_bytes = 1e6;
    }
    const std::optional<Finding> finding = found(job, "comm.link");
    CHECK(finding.has_value() != shares);
    if (finding) CHECK(finding->links == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 0}});
  }
}

TEST_CASE("a vector operator beside matrix operators costs no time that is seen") {
  MadeObservation job = single_step();
  for (std::uint32_t r = 0; r < kStepRanks; ++r) {
    add_operator(job, r, 0, 0, 5).operations = 0.9 * 5e-3 * job.machine().cube_rate;
    add_operator(job, r, 1, 1, 3).core = CoreKind::kVector;
  }
  CHECK_FALSE(found(job, "compute.underused"));
  for (OperatorRecord& record : job.full_records[0].operators)
    if (record.core == CoreKind::kVector) record.start += made_ms(5), record.end += made_ms(5);
  const std::optional<Finding> behind = found(job, "compute.underused");
  REQUIRE(behind);
  CHECK(behind->lost_ms == Approx(3).epsilon(0.01));
}

TEST_CASE(
    "arithmetic that takes one rank longer at equal work is its clock, and what is slow by it is not told "
    "twice") {
  MadeObservation job = single_step([](Own& own, std::uint32_t rank) {
    if (rank == 2) own.work += 3;
  });
  for (std::uint32_t r = 0; r < kStepRanks; ++r) {
    for (std::uint32_t name = 0; name < 3; ++name) {
      OperatorRecord& record = add_operator(job, r, name, 3 * name, r == 2 ? 3.75 : 3);
      record.arithmetic = record.run;
    }
  }
  const Advice advice = advise(job, book());
  REQUIRE_FALSE(advice.findings.empty());
  CHECK(advice.findings[0].cause == "compute.clock");
  CHECK(advice.findings[0].ranks == std::vector<std::uint32_t>{2});
  CHECK(advice.findings[0].factor == Approx(0.8));
  CHECK(advice.findings[0].lost_ms == Approx(3 * 0.75));
  CHECK_FALSE(found(job, "compute.underused"));
  for (OperatorRecord& record : job.full_records[0].operators)
    if (record.rank == 2) record.operations *= 1.25;  // more work, as long for each
  CHECK_FALSE(found(job, "compute.clock"));
}

TEST_CASE("what waits for memory longer on one rank, of several operators, is its memory") {
  for (const std::uint32_t slow : {1U, 3U}) {
    MadeObservation job = single_step([](Own& own, std::uint32_t rank) {
      if (rank == 2) own.work += 3;
    });
    for (std::uint32_t r = 0; r < kStepRanks; ++r) {
      for (std::uint32_t name = 0; name < 3; ++name) {
        OperatorRecord& record = add_operator(job, r, name, 3 * name, 3);
        record.arithmetic = made_ms(2);
        if (r == 2 && name < slow) record.run = made_ms(3.5);
      }
    }
    const std::optional<Finding> finding = found(job, "compute.hbm");
    CHECK(finding.has_value() == (slow > 1));
    if (!finding) continue;
    CHECK(finding->ranks == std::vector<std::uint32_t>{2});
    CHECK(finding->lost_ms == Approx(3 * 0.5));
  }
}

TEST_CASE("what a step without faults loses as well is for information, and changes no finding") {
  MadeObservation job(kStepRanks, 4, [](std::uint32_t, std::uint32_t) { return Own(); });
  for (std::uint32_t r = 0; r < kStepRanks; ++r)
    job.usual.operators.push_back(MadeObservation::op(0, r, 0, 5, 2));
  const Advice advice = advise(job, book());
  CHECK(advice.findings.empty());
  REQUIRE(advice.infos.size() == 1);
  CHECK(advice.infos[0].cause == "compute.underused");
  CHECK(advice.infos[0].last == 3);
}

TEST_CASE("a cause of slow steps is not told again of every step, and comes first") {
  MadeObservation job(kStepRanks, 40, [](std::uint32_t step, std::uint32_t rank) {
    Own own;
    if (step >= 20 && rank == 3) own.work += 1, own.aic += 1;
    return own;
  });
  job.has_reference = false;
  for (const std::uint32_t number : {5U, 21U}) {
    FullStep& step = job.full_records.emplace_back();
    step.step = number;
    for (std::uint32_t r = 0; r < kStepRanks; ++r) {
      step.ranks.push_back(r);
      for (std::uint32_t name = 0; name < 3; ++name) {
        const bool low = number == 21 ? r == 3 : r == 2;
        OperatorRecord record = MadeObservation::op(number, r, name, low ? 3.5 : 3, low ? 3.5 : 3);
        record.clock = low ? 0.86F : 1;
        step.operators.push_back(record);
      }
    }
  }
  const Advice advice = advise(job, book());
  REQUIRE_FALSE(advice.findings.empty());
  CHECK(advice.findings[0].cause == "compute.clock");
  CHECK_FALSE(advice.findings[0].steady);
  CHECK(advice.findings[0].ranks == std::vector<std::uint32_t>{3});
  CHECK(std::ranges::count(advice.findings, "compute.clock", &Finding::cause) == 1);
}

TEST_CASE("the first finding is told with its place, its loss, its evidence and what to try") {
  MadeObservation job = single_step();
  communicate_behind(job);
  for (OperatorRecord& record : job.full_records[0].operators)
    record.operations = 0.9 * 6e-3 * job.machine().cube_rate;
  const std::string text = first_finding(advise(job, book()), "pass");
  using Catch::Matchers::Contains;
  CHECK_THAT(
      text,
      Contains("parallel.overlap, all ranks: 4.000 ms of the pass (40.0 %)") &&
          Contains("Evidence: rank 0 computes during communication for 0 % of the step (threshold 5 %)") &&
          Contains("Try: tiles instead of kernels"));
  CHECK(first_finding(advise(of_roof(0.9, 0.1), book()), "pass").empty());
}

// Devices of four ranks that compute up to 3 ms, and from 7 to 10 ms.
MadeObservation idle_between() {
  MadeObservation job = single_step();
  for (std::uint32_t r = 0; r < kStepRanks; ++r) {
    add_operator(job, r, 0, 0, 3);
    add_operator(job, r, 1, 7, 3);
  }
  return job;
}

HostRecord host_event(std::uint32_t rank, HostKind kind, double start, double length) {
  HostRecord event = MadeObservation::event(0, rank, kind, start + length);
  event.start = made_ms(start);
  return event;
}

TEST_CASE("what a host does while its device is idle loses that time, and no more of it") {
  const std::pair<HostKind, const char*> kinds[] = {{HostKind::kCompile, "host.compile"},
                                                    {HostKind::kCollect, "host.gc"},
                                                    {HostKind::kAllocate, "host.memory"},
                                                    {HostKind::kLog, "host.environment"},
                                                    {HostKind::kLaunch, "host.dispatch"}};
  for (const auto& [kind, cause] : kinds) {
    INFO(cause);
    MadeObservation job = idle_between();
    // Of 5 ms, 3 while the device is idle.
    for (std::uint32_t r = 0; r < kStepRanks; ++r)
      job.full_records[0].host.push_back(host_event(r, kind, 4, 5));
    const std::optional<Finding> finding = found(job, cause);
    REQUIRE(finding);
    CHECK(finding->ranks.size() == kStepRanks);
    CHECK(finding->lost_ms == Approx(3));
    CHECK(finding->explains == Approx(3.0 / 4));
    CHECK_FALSE(finding->info);
  }
}

TEST_CASE("what a host does beside its device costs nothing") {
  MadeObservation job = idle_between();
  for (std::uint32_t r = 0; r < kStepRanks; ++r)
    job.full_records[0].host.push_back(host_event(r, HostKind::kCompile, 7, 3));
  CHECK_FALSE(found(job, "host.compile"));
}

TEST_CASE("a sync costs what the device is idle behind it, and no more than it took") {
  for (const double sync : {1.0, 3.0}) {
    MadeObservation job = single_step();
    for (std::uint32_t r = 0; r < kStepRanks; ++r) {
      add_operator(job, r, 0, 0, 4);
      add_operator(job, r, 1, 6, 4);
      job.full_records[0].host.push_back(host_event(r, HostKind::kSync, 4 - sync, sync));
    }
    const std::optional<Finding> finding = found(job, "host.sync");
    REQUIRE(finding);
    CHECK(finding->lost_ms == Approx(std::min(sync, 2.0)));
  }
}

TEST_CASE("a device that mostly begins late, but not in the step that was recorded, tells of no garbage") {
  MadeObservation job = single_step([&](Own& own, std::uint32_t) {
    own.work = 20;
    own.delay = 5;
  });
  for (std::uint32_t r = 0; r < kStepRanks; ++r) {
    add_operator(job, r, 0, 0, 20);
    job.full_records[0].host.push_back(host_event(r, HostKind::kLaunch, 0, 1));
  }
  CHECK_FALSE(found(job, "host.gc"));
}

TEST_CASE("a device that is idle for long while nothing is seen of its host: garbage, by half") {
  // A tenth of a step of 20 ms and what is idle.
  for (const double idle : {2.1, 2.3, 210.0}) {
    MadeObservation job = single_step([&](Own& own, std::uint32_t) { own.work = idle + 20; });
    for (std::uint32_t r = 0; r < kStepRanks; ++r) {
      add_operator(job, r, 0, 0, 10);
      add_operator(job, r, 1, idle + 10, 10);
      job.full_records[0].host.push_back(host_event(r, HostKind::kLaunch, 0, 1));
    }
    const std::optional<Finding> finding = found(job, "host.gc");
    REQUIRE(finding.has_value() == (idle > 2.2));
    if (!finding) continue;
    CHECK(finding->lost_ms == Approx(idle));
    CHECK(finding->confidence == Approx(book().confidence.at("standing") / 2));
    CHECK_FALSE(finding->missing.empty());
  }
}

TEST_CASE("where batches are late, it is not what else the host does") {
  const auto late = [](std::uint32_t, std::uint32_t) {
    Own own;
    own.delay = 4;
    own.work = 6;
    own.fill = {0, 0, 100};
    return own;
  };
  MadeObservation job(kStepRanks, 3, late);  // the first of its steps does not tell when it could have begun
  job.has_reference = false;
  FullStep& step = job.full_records.emplace_back();
  step.step = 1;
  for (std::uint32_t r = 0; r < kStepRanks; ++r) {
    step.ranks.push_back(r);
    add_operator(job, r, 0, 4, 6);
    step.host.push_back(host_event(r, HostKind::kLog, 0, 4));
  }
  CHECK_FALSE(found(job, "host.environment"));
  const std::optional<Finding> finding = found(job, "io.process");
  REQUIRE(finding);
  CHECK(finding->lost_ms == Approx(4));
}

TEST_CASE("operators that are not on a known critical path are not told") {
  MadeObservation job = single_step();
  for (std::uint32_t r = 0; r < kStepRanks; ++r)
    for (std::uint32_t op = 0; op < 2; ++op) {
      OperatorRecord& record =
          add_operator(job, r, op, op, 6);  // beside each other: records do not tell the path
      record.operations = 0.1 * 6e-3 * job.machine().cube_rate;
    }
  REQUIRE(found(job, "compute.underused"));
  CHECK(found(job, "compute.underused")->operators.size() == 2);
  job.path = {{1, 2, made_ms(10)}};
  const std::optional<Finding> finding = found(job, "compute.underused");
  REQUIRE(finding);
  CHECK(finding->operators == std::vector<std::string>{"B"});
  const Advice advice = advise(job, book());
  REQUIRE(advice.path);
  CHECK(advice.path->exact);
  CHECK(advice.path->parts.size() == 1);
}

}  // namespace
}  // namespace a3sim
