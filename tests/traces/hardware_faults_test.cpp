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

// Profiles in three styles with faults that are known, drawn at random: which of them are named, and what else is.

using namespace a3sim;
using namespace a3sim::written;

namespace {

constexpr int kFaultSteps = 3, kRanks = 2;

// A healthy step: products and attention at the limit of the cores, gradients summed up beside them.
class Draft {
 public:
  Draft(int step, double begin) : step_(step), begin_(begin) {}

  Kernel& add(const std::string& type, double length, const std::string& core = "AI_CORE") {
    Kernel& made = rank_.kernels.emplace_back();
    made.step = step_;
    made.type = type;
    made.core = core;
    made.start = begin_ + at_;
    made.length = length;
    at_ += length;
    return made;
  }
  void pause(double length) { at_ += length; }
  void exchange(double start, double length, double transfer) {
    Exchange& made = rank_.exchanges.emplace_back();
    made.step = step_;
    made.name = fmt::format("hcom_allReduce__868_{}_1", rank_.exchanges.size());
    made.group = "1311868";
    made.start = begin_ + start;
    made.length = length;
    made.transfer = transfer;
    made.megabytes = transfer / 50;
  }
  void call(const std::string& name, double start, double length) {
    rank_.calls.push_back({"AscendCL@" + name, begin_ + start, length});
  }
  double at() const { return at_; }

  void add_to(Rank& rank) const {
    rank.kernels.insert(rank.kernels.end(), rank_.kernels.begin(), rank_.kernels.end());
    rank.exchanges.insert(rank.exchanges.end(), rank_.exchanges.begin(), rank_.exchanges.end());
    rank.calls.insert(rank.calls.end(), rank_.calls.begin(), rank_.calls.end());
    Step told;
    told.number = step_;
    rank.steps.push_back(told);
  }

 private:
  int step_;
  double begin_;  // microseconds
  double at_ = 0;
  Rank rank_;
};

void add_products(Draft& draft) {
  for (int layer = 0; layer < 4; ++layer) {
    draft.add("MatMulV3", 16'000).mac = 0.93;
    Kernel& attention = draft.add("FlashAttentionScore", 9'000, "AI_VECTOR_CORE");
    attention.vec = 0.9;
  }
}

const std::vector<std::string>& faults() {
  static const std::vector<std::string> kFaults{
      "none",        "comm.exposed",    "device.idle",   "host.sync",        "compute.scalar",
      "compute.cpu", "compute.formats", "compute.small", "compute.underused"};
  return kFaults;
}

// Returns the step of a rank with a fault of so many microseconds.
Draft draft_of(int step, double begin, const std::string& fault, double length) {
  Draft draft(step, begin);
  draft.exchange(20'000, 12'000, 11'000);
  if (fault != "device.idle") draft.call("aclrtLaunchKernel", 0, 20);
  add_products(draft);
  if (fault == "comm.exposed") {
    draft.exchange(draft.at(), length, 0.8 * length);
    draft.pause(length);
  } else if (fault == "device.idle") {
    draft.pause(length);
  } else if (fault == "host.sync") {
    draft.call("aclrtSynchronizeStream", draft.at() - length, 1.1 * length);
    draft.pause(length);
  } else if (fault == "compute.scalar") {
    Kernel& scan = draft.add("Scan", length, "AI_VECTOR_CORE");
    scan.scalar = 0.97;
    scan.vec = 0.06;
  } else if (fault == "compute.cpu") {
    draft.add("UniqueConsecutive", length, "AI_CPU");
  } else if (fault == "compute.formats") {
    draft.add("TransData", length, "AI_VECTOR_CORE").load = 0.9;
  } else if (fault == "compute.small") {
    for (double done = 0; done + 9 <= length; done += 9) draft.add("Mul", 9, "AI_VECTOR_CORE").load = 0.85;
  } else if (fault == "compute.underused") {
    Kernel& slow = draft.add("ScatterAdd", length, "AI_VECTOR_CORE");
    slow.vec = 0.1;
    slow.load = 0.2;
  }
  add_products(draft);
  return draft;
}

struct Count {
  int faults = 0, found = 0, findings = 0, right = 0;
};

}  // namespace

TEST_CASE("faults in profiles of three styles are named, and little else is") {
  Count all;
  std::mt19937 random(17);
  for (int job = 0; job < 27; ++job) {
    const std::string& fault = faults()[static_cast<std::size_t>(job) % faults().size()];
    const double length = 15'000 + 100.0 * static_cast<double>(random() % 400);
    const double step_length = (fault == "none" ? 0 : length) + 201'000;
    const auto style = static_cast<Style>(job / static_cast<int>(faults().size()) % 3);
    const ScratchDirectory folder;
    for (int number = 0; number < kRanks; ++number) {
      Rank rank;
      for (int step = 0; step < kFaultSteps; ++step)
        draft_of(step, step * step_length, fault, length).add_to(rank);
      if (style == Style::kDatabase) {
        write_databases(folder, number, rank, step_length, job % 2 == 1);
      } else {
        rank.steps.clear();
        write_rank(folder, number, rank, style);
      }
    }
    const Advice advice = advise(ProfiledJob(folder.path()), book());
    INFO(fault << ", " << length << " us, style " << static_cast<int>(style) << "\n" << advice_text(advice));
    const bool found =
        std::ranges::any_of(advice.findings, [&](const Finding& finding) { return finding.cause == fault; });
    all.faults += fault != "none";
    all.found += fault != "none" && found;
    for (const Finding& finding : advice.findings) {
      ++all.findings;
      all.right += finding.cause == fault;
      CHECK((finding.cause == fault || finding.confidence < 0.9));
    }
    CHECK((found || fault == "none"));
    CHECK((advice.findings.size() <= (fault == "none" ? 0U : 1U)));
  }
  CHECK(all.found >= 0.95 * all.faults);
  CHECK(all.right >= 0.95 * all.findings);
}
