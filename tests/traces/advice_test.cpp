#include "sim/diagnosis/rules/advice.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/diagnosis/rules/hosts.h"
#include "sim/diagnosis/rules/rule.h"
#include "tests/traces/made_observation.h"

namespace a3sim {
namespace {

using Own = MadeObservation::Own;
constexpr std::uint32_t kJobSteps = 40;
constexpr std::uint32_t kSlowFrom = 20;

const RuleBook& rules() {
  static const RuleBook kRules = read_rules(std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/advice");
  return kRules;
}

// A job of four ranks, slow from step 20 on as `change` says of a rank's step.
template <class Change>
MadeObservation job_of(const Change& change) {
  return {4, kJobSteps, [&](std::uint32_t step, std::uint32_t rank) {
            Own own;
            if (step >= kSlowFrom) change(own, rank, step);
            return own;
          }};
}

// What each rank's operators take usually, and in a step that was recorded.
void add_operators(MadeObservation& job, double run, double arithmetic) {
  for (std::uint32_t r = 0; r < 4; ++r)
    for (std::uint32_t op = 0; op < 3; ++op) job.usual.operators.push_back(job.op(0, r, op, run, arithmetic));
  FullStep& step = job.full_records.emplace_back(job.usual);
  step.step = kSlowFrom + 1;
  step.ranks = {0, 1, 2, 3};
  for (OperatorRecord& record : step.operators) record.step = step.step;
}

Finding only(const Advice& advice) {
  REQUIRE(advice.findings.size() == 1);
  return advice.findings.front();
}

TEST_CASE("every rule has its data, and the rules of the specification are there") {
  CHECK(rules().causes.size() == CauseRules::all().size());
  for (const char* name :
       {"parallel.overlap",  "io.read",        "io.process",      "io.fetch",        "host.compile",
        "host.dispatch",     "host.sync",      "host.gc",         "host.contention", "host.memory",
        "host.environment",  "compute.clock",  "compute.bound",   "compute.memory",  "compute.hbm",
        "compute.underused", "load.imbalance", "comm.contention", "comm.resend",     "comm.flapping",
        "comm.link",         "comm.small",     "comm.alignment",  "comm.config"})
    CHECK(rules().causes.contains(name));
}

TEST_CASE("a healthy job has no findings") {
  MadeObservation job = job_of([](Own&, std::uint32_t, std::uint32_t) {});
  const Advice advice = advise(job, rules());
  CHECK(advice.findings.empty());
  CHECK(advice.infos.empty());
}

TEST_CASE("a low clock is told from the clock of a slow rank's operators") {
  MadeObservation job = job_of([](Own& own, std::uint32_t rank, std::uint32_t) {
    if (rank == 3) own.work += 1, own.aic += 1;
  });
  add_operators(job, 3, 3);
  for (OperatorRecord& record : job.full_records[0].operators) {
    if (record.rank != 3) continue;
    record.clock = 0.9F;
    record.run = record.end = record.arithmetic = made_ms(3 / 0.9);
  }
  const Finding finding = only(advise(job, rules()));
  CHECK(finding.cause == "compute.clock");
  CHECK(finding.ranks == std::vector<std::uint32_t>{3});
  CHECK(finding.first == kSlowFrom);
  CHECK(finding.last == kJobSteps - 1);
  // Three operators of 3 ms take 9 (1 / 0.9 - 1) ms longer, which is all of the lag of 1 ms.
  CHECK(finding.lost_ms == Approx(1));
  CHECK(finding.explains == Approx(1));
}

TEST_CASE("a slow memory slows what is not arithmetic, of several operators") {
  MadeObservation job = job_of([](Own& own, std::uint32_t rank, std::uint32_t) {
    if (rank == 2) own.work += 1.5, own.aic += 1.5;
  });
  add_operators(job, 3, 2);
  for (OperatorRecord& record : job.full_records[0].operators)
    if (record.rank == 2) record.run = record.end = made_ms(3.5);
  const Finding finding = only(advise(job, rules()));
  CHECK(finding.cause == "compute.hbm");
  CHECK(finding.ranks == std::vector<std::uint32_t>{2});
}

TEST_CASE("one operator that takes longer at equal work is under-used where no roof is near") {
  MadeObservation job = job_of([](Own& own, std::uint32_t, std::uint32_t) { own.work += 2, own.aic += 2; });
  add_operators(job, 3, 2);
  for (OperatorRecord& record : job.full_records[0].operators)
    if (record.op == 1) record.run = record.end = made_ms(5);
  const Finding finding = only(advise(job, rules()));
  CHECK(finding.cause == "compute.underused");
  CHECK(finding.operators == std::vector<std::string>{"B"});
  CHECK(finding.ranks.size() == 4);
}

TEST_CASE("more rows that each take as long as ever are imbalance, and no slow card") {
  MadeObservation job = job_of([](Own& own, std::uint32_t rank, std::uint32_t) {
    if (rank == 1) own.work *= 1.2, own.aic *= 1.2, own.rows = 120;
  });
  const Finding finding = only(advise(job, rules()));
  CHECK(finding.cause == "load.imbalance");
  CHECK(finding.ranks == std::vector<std::uint32_t>{1});
}

TEST_CASE(
    "what goes to a rank with more rows is slow because of them, however much of the lag they explain") {
  for (const bool more_rows : {true, false}) {
    MadeObservation job = job_of([&](Own& own, std::uint32_t rank, std::uint32_t) {
      if (rank != 1) return;
      own.work += 6, own.transfer += 6, own.rows = more_rows ? 120 : 100;
    });
    add_operators(job, 3, 3);
    for (std::uint32_t s = 0; s < 4; ++s) {
      for (std::uint32_t d = 0; d < 4; ++d) {
        if (s == d) continue;
        for (int i = 0; i < 8; ++i) {
          job.usual.transfers.push_back(job.put(0, s, d, i, 1));
          job.full_records[0].transfers.push_back(
              // To a rank with more rows three at a time: each takes longer, and the port carries as much as ever.
              job.put(kSlowFrom + 1, s, d, d == 1 && !more_rows ? 3.0 * i : i, d == 1 ? 3 : 1));
        }
      }
    }
    const Finding finding = only(advise(job, rules()));
    CHECK(finding.cause == (more_rows ? "load.imbalance" : "comm.link"));
    CHECK(finding.ranks == std::vector<std::uint32_t>{1});
  }
}

struct PortCase {
  const char* name;
  bool row, column, cell;
};

TEST_CASE("slow transfers are a rank's egress, its ingress, or a path") {
  for (const PortCase& port :
       {PortCase{"egress", true, false, false}, PortCase{"ingress", false, true, false},
        PortCase{"path", false, false, true}}) {
    INFO(port.name);
    MadeObservation job =
        job_of([](Own& own, std::uint32_t, std::uint32_t) { own.work += 3, own.transfer += 3; });
    add_operators(job, 3, 3);
    for (std::uint32_t s = 0; s < 4; ++s) {
      for (std::uint32_t d = 0; d < 4; ++d) {
        if (s == d) continue;
        const bool slow = (port.row && s == 1) || (port.column && d == 1) || (port.cell && s == 3 && d == 0);
        for (int i = 0; i < 8; ++i) {
          job.usual.transfers.push_back(job.put(0, s, d, i, 1));
          job.full_records[0].transfers.push_back(
              job.put(kSlowFrom + 1, s, d, slow ? 3.0 * i : i, slow ? 3 : 1));
        }
      }
    }
    const Finding finding = only(advise(job, rules()));
    CHECK(finding.cause == "comm.link");
    if (port.cell) {
      CHECK(finding.links == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{3, 0}});
    } else {
      CHECK(finding.ranks == std::vector<std::uint32_t>{1});
      CHECK(finding.side == port.name);
    }
    CHECK(finding.factor == Approx(1.0 / 3));
  }
}

TEST_CASE("a single put that waits for a timeout beside others that do not is a resend") {
  MadeObservation job = job_of([](Own& own, std::uint32_t rank, std::uint32_t) {
    if (rank == 2) own.work += 33, own.transfer += 33;
  });
  add_operators(job, 3, 3);
  for (int i = 0; i < 40; ++i) {
    job.usual.transfers.push_back(job.put(0, 2, 0, i, 1));
    job.full_records[0].transfers.push_back(job.put(kSlowFrom + 1, 2, 0, i, i == 3 ? 34 : 1));
  }
  const Finding finding = only(advise(job, rules()));
  CHECK(finding.cause == "comm.resend");
  CHECK(finding.ranks == std::vector<std::uint32_t>{2});
}

TEST_CASE("the kind of host events that fills the waiting names the cause") {
  const std::pair<HostKind, const char*> cases[] = {{HostKind::kCompile, "host.compile"},
                                                    {HostKind::kSync, "host.sync"},
                                                    {HostKind::kCollect, "host.gc"},
                                                    {HostKind::kAllocate, "host.memory"},
                                                    {HostKind::kLog, "host.environment"}};
  for (const auto& [kind, cause] : cases) {
    INFO(cause);
    MadeObservation job = job_of([](Own& own, std::uint32_t rank, std::uint32_t) {
      if (rank == 1) own.delay = 5;
    });
    add_operators(job, 3, 3);
    job.full_records[0].host.push_back(job.event(kSlowFrom + 1, 1, kind, 5));
    const Finding finding = only(advise(job, rules()));
    CHECK(finding.cause == cause);
    CHECK(finding.ranks == std::vector<std::uint32_t>{1});
    CHECK(finding.lost_ms == Approx(5));
  }
}

TEST_CASE("queues tell which stage of loading is the slow one") {
  CHECK(io_stage({100, 0, 0}, 50) == IoStage::kNone);
  CHECK(io_stage({0, 100, 100}, 50) == IoStage::kFetch);
  CHECK(io_stage({0, 0, 100}, 50) == IoStage::kProcess);
  CHECK(io_stage({0, 0, 0}, 50) == IoStage::kRead);
  CHECK(io_stage({-1, 0, 0}, 50) == IoStage::kNone);  // not seen
}

TEST_CASE(
    "ResNet50 of the published cases: 72.8 of 90 ms wait for data, the data queue is full: processing") {
  MadeObservation job = job_of([](Own& own, std::uint32_t, std::uint32_t) {
    own.delay = 72.8;
    own.work = 17.2;
    own.fill = {0, 0, 100};
  });
  const Finding finding = only(advise(job, rules()));
  CHECK(finding.cause == "io.process");
  CHECK(finding.remedies.front().text.find("workers") != std::string::npos);
}

TEST_CASE("a slowdown that nothing explains is open, and says what record is missing") {
  MadeObservation job = job_of([](Own& own, std::uint32_t rank, std::uint32_t) {
    if (rank == 0) own.work += 2;
  });
  const Finding finding = only(advise(job, rules()));
  CHECK(finding.cause == kCauseOpen);
  CHECK(finding.ranks == std::vector<std::uint32_t>{0});
  CHECK(!finding.missing.empty());
}

TEST_CASE("what costs less than 1 % of a step is for information") {
  MadeObservation job = job_of([](Own& own, std::uint32_t rank, std::uint32_t step) {
    if (rank == 1 && step % 10 == 0) own.delay = 0.5;
  });
  const Advice advice = advise(job, rules());
  CHECK(advice.findings.empty());
}

}  // namespace
}  // namespace a3sim
