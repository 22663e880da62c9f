#include "sim/study/published/recorded_case.h"

#include <algorithm>

#include "sim/diagnosis/rules/rule.h"
#include "sim/experiment/configs_folder.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr double kMostNumber = 1e18;
constexpr std::int64_t kMostSteps = 100'000, kMostRanks = 4096, kMostEvents = 100'000;

std::vector<std::uint32_t> read_numbers(const Config& config, std::string_view key, std::uint32_t below) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& text : config.texts(key)) {
    const bool whole =
        !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == std::string::npos;
    if (whole && std::stoul(text) < below)
      numbers.push_back(static_cast<std::uint32_t>(std::stoul(text)));
    else
      config.error(key, "'" + text + "', expected whole numbers below " + std::to_string(below));
  }
  return numbers;
}

ObservedMachine read_machine(const Config& config) {
  ObservedMachine machine;
  machine.aic = machine.aiv = 1;
  machine.cube_rate = machine.vector_rate = config.number("operations", 0, kMostNumber);
  machine.hbm_read = static_cast<double>(config.rate("hbm").count);
  ObservedPlane& plane = machine.planes.emplace_back();
  plane.name = "links";
  plane.port = plane.worker = static_cast<double>(config.rate("port").count);
  plane.startup = config.duration("startup");
  config.finish();
  return machine;
}

RecordedCase::StepActivity read_activity(const Config& config) {
  RecordedCase::StepActivity activity;
  if (config.has("host")) {
    activity.lane = Lane::kHost;
    activity.kind = config.choice<HostKind>("host");
    activity.count = static_cast<std::uint32_t>(config.integer("count", 1, kMostEvents, 1));
  } else if (config.has("communication")) {
    activity.lane = Lane::kCommunication;
    activity.name = config.text("communication");
    if (config.has("bytes")) {
      activity.bytes = static_cast<double>(config.bytes("bytes").count);
      activity.uses = config.number("uses", 0.001, 1);
    }
  } else {
    activity.name = config.text("compute");
    activity.cores = config.number("cores", 0, 1, 0);
    activity.memory = config.number("memory", 0, 1, 0);
  }
  activity.from = config.duration("from");
  activity.to = config.duration("to");
  if (activity.to <= activity.from) config.error("to", "expected a date behind 'from'");
  config.finish();
  return activity;
}

RecordedCase::HostDelay read_delay(const Config& config, const RecordedCase& of) {
  RecordedCase::HostDelay slow;
  slow.share = config.number("share", 0, 1, 0);
  slow.steps = read_numbers(config, "steps", of.steps);
  slow.ranks = read_numbers(config, "ranks", of.ranks);
  slow.rotates = config.boolean("rotates", false);
  slow.kind = config.choice<HostKind>("host");
  slow.length = config.duration("length");
  slow.count = static_cast<std::uint32_t>(config.integer("count", 1, kMostEvents, 1));
  if (slow.ranks.empty()) config.error("ranks", "missing; expected whose hosts they are");
  config.finish();
  return slow;
}

}  // namespace

bool RecordedCase::HostDelay::has(std::uint32_t step) const {
  const auto before = [&](std::uint32_t s) { return static_cast<std::uint64_t>(share * s); };
  return before(step + 1) > before(step) || std::ranges::find(steps, step) != steps.end();
}

Duration RecordedCase::length() const {
  Duration end{};
  for (const StepActivity& activity : step) end = std::max(end, activity.to);
  return end;
}

std::vector<std::string> recorded_cases(const fs::path& configs) { return names_in(configs / "cases"); }

RecordedCase read_recorded_case(const fs::path& file) {
  Diagnostics diagnostics;
  RecordedCase of = read_recorded_case(Config::load(file, {}, diagnostics));
  diagnostics.throw_if_any();
  return of;
}

RecordedCase read_recorded_case(const Config& root) {
  RecordedCase of;
  of.title = root.text("case");
  of.source = root.text("source");
  of.causes = root.texts("causes");
  of.assumed = root.texts("assumed");
  of.unseen = root.number("unseen", 0, 1, 0);
  of.by_throughput = root.choice("compares", {"time", "throughput"}, "time") == 1;
  for (const std::string& cause : of.causes)
    if (!CauseRules::all().contains(cause))
      root.error("causes", "'" + cause + "', expected causes of configs/advice");
  if (of.causes.empty()) root.error("causes", "missing; expected what was published");
  for (const std::uint32_t shards : read_numbers(root, "shards", 1000)) of.shards.push_back(shards);
  of.ranks = static_cast<std::uint32_t>(root.integer("ranks", 1, kMostRanks));
  of.node = static_cast<std::uint32_t>(root.integer("node", 1, kMostRanks, 8));
  of.steps = static_cast<std::uint32_t>(root.integer("steps", 3, kMostSteps, 3));
  of.machine = read_machine(root.map("machine"));
  const std::vector<std::uint32_t> queues = read_numbers(root, "queues", 101);
  if (queues.size() == of.queues.size()) {
    for (std::size_t q = 0; q < of.queues.size(); ++q) of.queues[q] = static_cast<std::uint8_t>(queues[q]);
  } else if (!queues.empty()) {
    root.error("queues", "expected percents of three queues: of the device, of the host, of data");
  }
  for (const Config& activity : root.maps("step")) of.step.push_back(read_activity(activity));
  for (const Config& slow : root.maps("slow")) of.delays.push_back(read_delay(slow, of));
  Duration first = of.length();
  for (const RecordedCase::StepActivity& activity : of.step)
    if (activity.lane != Lane::kHost) first = std::min(first, activity.from);
  if (of.step.empty()) root.error("step", "missing; expected what ranks do in a step");
  of.wait = first;
  root.finish();
  return of;
}

}  // namespace a3sim
