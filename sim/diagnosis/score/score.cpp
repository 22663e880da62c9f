#include "sim/diagnosis/score/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "sim/core/json_error.h"
#include "sim/core/read_file.h"
#include "sim/diagnosis/locate/rank_step.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "traces/observation.h"

namespace a3sim {
namespace {

constexpr Duration kLoad{10'000'000'000};      // ps: loading a batch
constexpr Duration kCollect{1'000'000'000};    // a garbage collection
constexpr Duration kAllocate{10'000'000'000};  // allocating, freeing
constexpr double kCompiles = 20;
constexpr double kSyncs = 0.5;      // per launch
constexpr double kBandwidth = 0.8;  // part of the port's
constexpr double kRank = 1.05;      // slow if above this multiple of the ranks' mean

using Found = std::set<std::pair<std::string, std::uint32_t>>;

void look_at_hosts(const FullStep& step, Found& found) {
  std::map<std::uint32_t, std::map<HostKind, double>> counts;
  for (const HostRecord& event : step.host) {
    counts[event.rank][event.kind] += event.count;
    const Duration took = event.end - event.start;
    if (event.kind == HostKind::kRead && took > kLoad) found.emplace("io.read", event.rank);
    if (event.kind == HostKind::kProcess && took > kLoad) found.emplace("io.process", event.rank);
    if (event.kind == HostKind::kFetch && took > kLoad) found.emplace("io.fetch", event.rank);
    if (event.kind == HostKind::kCollect && took >= kCollect) found.emplace("host.gc", event.rank);
    if (event.kind == HostKind::kAllocate && took > kAllocate) found.emplace("host.memory", event.rank);
  }
  for (auto& [rank, count] : counts) {
    if (count[HostKind::kCompile] > kCompiles) found.emplace("host.compile", rank);
    if (count[HostKind::kSync] > kSyncs * count[HostKind::kLaunch]) found.emplace("host.sync", rank);
  }
}

void look_at_links(const FullStep& step, const ObservedMachine& machine, Found& found) {
  struct Sum {
    double bytes = 0, time = 0, port = 0;
  };
  std::map<std::uint32_t, Sum> sums;
  for (const TransferRecord& transfer : step.transfers) {
    Sum& sum = sums[transfer.src];
    sum.bytes += transfer.bytes;
    sum.time += seconds(transfer.end - transfer.start);
    sum.port = machine.planes[transfer.plane].worker;
  }
  for (const auto& [rank, sum] : sums)
    if (sum.time > 0 && sum.bytes / sum.time < kBandwidth * sum.port) found.emplace("comm.link", rank);
}

void look_at_ranks(const FullStep& step, Found& found) {
  std::map<std::uint32_t, double> busy;
  for (const OperatorRecord& record : step.operators)
    if (record.lane == Lane::kCompute) busy[record.rank] += seconds(record.run);
  double mean = 0;
  for (const auto& [rank, time] : busy) mean += time / static_cast<double>(busy.size());
  for (const auto& [rank, time] : busy)
    if (time > kRank * mean) found.emplace("compute.clock", rank);
}

// Applies the public thresholds of the vendor's analysis tool (msprof-analyze 8399c1c) to full records alone:
// without history, reference, or comparison at equal work. Returns causes with their ranks.
Found vendor_findings(const Observation& observation) {
  Found found;
  for (const std::uint32_t number : observation.full_steps()) {
    const FullStep step = observation.full(number);
    look_at_hosts(step, found);
    look_at_links(step, observation.machine(), found);
    look_at_ranks(step, found);
  }
  return found;
}

struct Truth {
  std::string kind, entry;
  std::set<std::uint32_t> ranks;
  std::set<std::pair<std::uint32_t, std::uint32_t>> links;
  std::set<std::string> operators;
  std::uint32_t first = 0, last = 0;
};

std::vector<Truth> read_truth(const std::filesystem::path& file) {
  try {
    std::vector<Truth> truths;
    const nlohmann::json json = nlohmann::json::parse(read_file(file));
    for (const auto& fault : json.at("faults")) {
      Truth& truth = truths.emplace_back();
      truth.kind = fault.at("kind");
      truth.entry = fault.at("entry");
      truth.ranks = fault.at("ranks").get<std::set<std::uint32_t>>();
      truth.operators = fault.at("operators").get<std::set<std::string>>();
      for (const auto& link : fault.at("links")) truth.links.emplace(link.at(0), link.at(1));
      truth.first = fault.at("steps").at(0);
      truth.last = fault.at("steps").at(1);
    }
    return truths;
  } catch (const nlohmann::json::exception& error) {
    throw json_error(file.string(), error);
  }
}

const Answer& answer_to(const Truth& truth, const std::vector<Answer>& answers) {
  for (const Answer& answer : answers)
    if (answer.kind == truth.kind && truth.entry.find(answer.with) != std::string::npos) return answer;
  throw InputError(fmt::format("score.yaml: answers: none for faults of the kind '{}'", truth.kind));
}

bool names(const Answer& answer, const std::string& cause) {
  return std::ranges::find(answer.causes, cause) != answer.causes.end();
}

bool meets(const Truth& truth, const Finding& finding) {
  return finding.first <= truth.last && finding.last >= truth.first;
}

bool at_place(const Truth& truth, const Answer& answer, const Finding& finding) {
  switch (answer.place) {
    case Answer::Place::kRanks:
      return std::set(finding.ranks.begin(), finding.ranks.end()) == truth.ranks;
    case Answer::Place::kLinks:
      return std::set(finding.links.begin(), finding.links.end()) == truth.links;
    case Answer::Place::kOperators:
      return std::set(finding.operators.begin(), finding.operators.end()) == truth.operators;
    case Answer::Place::kNothing:
      return true;
  }
  return false;
}

bool in_a_fault(const std::vector<Truth>& truths, std::uint32_t step) {
  constexpr std::uint32_t kAfter = 4;  // steps until queues have filled again
  return std::ranges::any_of(
      truths, [&](const Truth& truth) { return truth.first <= step && step <= truth.last + kAfter; });
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Returns the time of steps without any fault, or of one without faults and noise if there are none.
double healthy_step(const std::vector<double>& took, const std::vector<Truth>& truths, double usual) {
  std::vector<double> out;
  for (std::uint32_t s = 0; s < took.size(); ++s) {
    if (!in_a_fault(truths, s)) out.push_back(took[s]);
  }
  return out.empty() ? usual : mean(out);
}

// Returns how much longer the steps of a fault are, and the first step that is clearly longer: full queues
// hide slow data for a while, and an intermittent fault is not there before.
void measure(const std::vector<double>& took, double healthy, ScoredFault& fault) {
  constexpr double kFelt = 1.03;
  std::vector<double> in;
  std::optional<std::uint32_t> felt;
  for (std::uint32_t s = fault.first; s <= fault.last && s < took.size(); ++s) {
    in.push_back(took[s]);
    if (!felt && took[s] > kFelt * healthy) felt = s;
  }
  fault.felt = felt.value_or(fault.first);
  fault.slowdown = healthy > 0 ? mean(in) / healthy - 1 : 0;
}

void score_fault(const Truth& truth, const Answer& answer, const Advice& advice, ScoredFault& fault) {
  for (const Finding& finding : advice.findings) {
    if (!names(answer, finding.cause) || !meets(truth, finding)) continue;
    const std::uint32_t delay = finding.first > fault.felt ? finding.first - fault.felt : 0;
    fault.delay = fault.found ? std::min(fault.delay, delay) : delay;
    fault.found = true;
    fault.placed = fault.placed || at_place(truth, answer, finding);
  }
}

}  // namespace

std::vector<Answer> read_answers(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  std::vector<Answer> answers = read_answers(Config::load(file, {}, diagnostics));
  diagnostics.throw_if_any();
  return answers;
}

std::vector<Answer> read_answers(const Config& root) {
  std::vector<Answer> answers;
  for (const Config& entry : root.maps("answers")) {
    Answer& answer = answers.emplace_back();
    answer.kind = entry.text("kind");
    answer.with = entry.text("with", "");
    answer.causes = entry.texts("causes");
    answer.place =
        static_cast<Answer::Place>(entry.choice("place", {"ranks", "links", "operators", "nothing"}));
    entry.finish();
  }
  root.finish();
  return answers;
}

ScoredJob score(const std::filesystem::path& directory, const RuleBook& rules,
                const std::vector<Answer>& answers) {
  const FileObservation observation(directory);
  const std::vector<Truth> truths = read_truth(directory / "truth.json");
  const Advice advice = advise(observation, rules);
  const auto vendor = vendor_findings(observation);
  std::vector<double> took;
  RankSteps steps(observation.ranks());
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    steps.add(records);
    took.push_back(steps.took());
  });
  RankSteps usual(observation.ranks());
  usual.add(observation.reference());
  const double healthy = healthy_step(took, truths, usual.took());
  ScoredJob job;
  std::set<std::pair<std::string, std::uint32_t>> vendor_right;
  for (const Truth& truth : truths) {
    const Answer& answer = answer_to(truth, answers);
    ScoredFault& fault = job.faults.emplace_back();
    fault.kind = truth.kind;
    fault.first = truth.first;
    fault.last = truth.last;
    measure(took, healthy, fault);
    score_fault(truth, answer, advice, fault);
    for (const auto& of_it : vendor) {
      const bool place = truth.ranks.empty() || truth.ranks.contains(of_it.second);
      if (!names(answer, of_it.first) || !place) continue;
      fault.vendor = true;
      vendor_right.insert(of_it);
    }
  }
  for (const Finding& finding : advice.findings) {
    ++job.findings;
    job.right += std::ranges::any_of(truths, [&](const Truth& truth) {
      return meets(truth, finding) && names(answer_to(truth, answers), finding.cause);
    });
  }
  job.vendor_findings = static_cast<std::uint32_t>(vendor.size());
  job.vendor_right = static_cast<std::uint32_t>(vendor_right.size());
  for (std::uint32_t s = 0; s < took.size(); ++s) job.healthy += !in_a_fault(truths, s);
  for (const std::uint32_t step : advice.slow_steps) job.false_slow += !in_a_fault(truths, step);
  return job;
}

}  // namespace a3sim
