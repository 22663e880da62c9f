#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "tests/traces/single_step.h"
#include "tests/traces/written_database.h"
#include "tests/traces/written_profile.h"
#include "traces/import/profiled_job.h"

// Profiles of four ranks in three styles, in which one rank or one stage makes the others wait: which of them is named.

using namespace a3sim;
using namespace a3sim::written;

namespace {

constexpr int kRankSteps = 4;
constexpr std::uint32_t kFaultyRanks = 4;
constexpr double kTransfer = 3'000;  // microseconds of each exchange of gradients

// What a rank does in a step: products and attention, an idle time before the last of them, then gradients.
struct Work {
  double scale = 1;  // of the kernels' time
  double idle = 0;   // microseconds in which nothing runs on the device
  std::string call;  // what the host does meanwhile; empty: nothing
  double own() const { return scale * 8 * 15'000 + idle; }
};

double add_step(Rank& rank, int step, double begin, const Work& work) {
  double at = begin;
  for (int layer = 0; layer < 8; ++layer) {
    if (layer == 6) {
      if (!work.call.empty()) rank.calls.push_back({"AscendCL@" + work.call, at - 100, work.idle + 100});
      at += work.idle;
    }
    Kernel& product = rank.kernels.emplace_back();
    product.step = step;
    product.type = "MatMulV3";
    product.start = at;
    product.length = work.scale * 10'000;
    product.mac = 0.93;
    at += product.length;
    Kernel& attention = rank.kernels.emplace_back();
    attention.step = step;
    attention.type = "FlashAttentionScore";
    attention.core = "AI_VECTOR_CORE";
    attention.start = at;
    attention.length = work.scale * 5'000;
    attention.vec = 0.9;
    at += attention.length;
  }
  rank.calls.push_back({"AscendCL@aclrtLaunchKernel", begin, 20});
  return at;
}

void add_gradients(Rank& rank, int step, double start, double end) {
  Exchange& made = rank.exchanges.emplace_back();
  made.step = step;
  made.name = fmt::format("hcom_allReduce__868_{}_1", rank.exchanges.size());
  made.group = "1311868";
  made.start = start;
  made.length = end - start;
  made.transfer = kTransfer;
  made.wait = end - start - kTransfer;
  made.megabytes = kTransfer / 50;
}

// Writes a job in whose slow steps one rank works otherwise.
void write_job(const ScratchDirectory& folder, std::uint32_t odd, const Work& odd_work, Style style) {
  const Work usual;
  const double longest = std::max(usual.own(), odd_work.own()) + kTransfer;
  for (std::uint32_t number = 0; number < kFaultyRanks; ++number) {
    Rank rank;
    for (int step = 0; step < kRankSteps; ++step) {
      const double begin = step * longest;
      const double at = add_step(rank, step, begin, number == odd ? odd_work : usual);
      add_gradients(rank, step, at, begin + longest);
      if (style == Style::kDatabase) rank.steps.push_back({step, at - begin, begin + longest - at, 0, 0});
    }
    if (style == Style::kDatabase)
      write_databases(folder, static_cast<int>(number), rank, longest, true);
    else
      write_rank(folder, static_cast<int>(number), rank, style);
  }
}

}  // namespace

TEST_CASE(
    "a rank for which the others wait is named, with what it does meanwhile, in each style of profile") {
  struct Fault {
    Work work;
    std::string cause;  // empty: nothing is found
  };
  const std::vector<Fault> faults{{{1.3, 0, ""}, "compute.straggler"},
                                  {{1.06, 0, ""}, "compute.straggler"},
                                  {{1, 40'000, "aclrtSynchronizeStream"}, "host.sync"},
                                  {{1, 30'000, "aclopCompileAndExecute"}, "host.compile"},
                                  {{1, 40'000, ""}, "host.gc"},
                                  {{1, 0, ""}, ""}};
  std::uint32_t odd = 0;
  for (const Style style : {Style::k80, Style::k83, Style::kDatabase}) {
    for (const Fault& fault : faults) {
      odd = (odd + 1) % kFaultyRanks;
      const ScratchDirectory folder;
      write_job(folder, odd, fault.work, style);
      const Advice advice = advise(ProfiledJob(folder.path()), book());
      INFO("style " << static_cast<int>(style) << ", rank " << odd << ", " << fault.cause << "\n"
                    << advice_text(advice));
      if (fault.cause.empty()) {
        CHECK(advice.findings.empty());
        continue;
      }
      REQUIRE(advice.findings.size() == 1);
      const Finding& finding = advice.findings.front();
      CHECK(finding.cause == fault.cause);
      CHECK(finding.ranks == std::vector<std::uint32_t>{odd});
      // What nothing on the host fills is told with doubt.
      if (fault.work.call.empty() && fault.work.idle > 0)
        CHECK(finding.confidence < 0.5);
      else
        CHECK(finding.lost_ms == Approx((fault.work.own() - Work().own()) / 1000).epsilon(0.02));
    }
  }
}

TEST_CASE("a rank that runs more kernels than the others does other work, and is no slow card") {
  const ScratchDirectory folder;
  for (std::uint32_t number = 0; number < kFaultyRanks; ++number) {
    Rank rank;
    const double longest = 200'000;
    for (int step = 0; step < kRankSteps; ++step) {
      const double begin = step * longest;
      double at = add_step(rank, step, begin, Work());
      for (int more = 0; number == 1 && more < 4; ++more) {
        Kernel& product = rank.kernels.emplace_back();
        product.step = step;
        product.type = "MatMulV3";
        product.start = at;
        product.length = 10'000;
        product.mac = 0.93;
        at += product.length;
      }
      add_gradients(rank, step, at, begin + longest);
    }
    write_rank(folder, static_cast<int>(number), rank, Style::k83);
  }
  const Advice advice = advise(ProfiledJob(folder.path()), book());
  INFO(advice_text(advice));
  for (const Finding& finding : advice.findings) CHECK(finding.cause != "compute.straggler");
}
