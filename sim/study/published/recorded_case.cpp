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

RecordedCase::HostDelay read_delay(const Config& config, const RecordedCase& recorded_case) {
  RecordedCase::HostDelay slow;
  slow.share = config.number("share", 0, 1, 0);
  slow.steps = read_numbers(config, "steps", recorded_case.steps);
  slow.ranks = read_numbers(config, "ranks", recorded_case.ranks);
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
  RecordedCase recorded_case = read_recorded_case(Config::load(file, {}, diagnostics));
  diagnostics.throw_if_any();
  return recorded_case;
}

RecordedCase read_recorded_case(const Config& root) {
  RecordedCase recorded_case;
  recorded_case.title = root.text("case");
  recorded_case.source = root.text("source");
  recorded_case.causes = root.texts("causes");
  recorded_case.assumed = root.texts("assumed");
  recorded_case.unseen = root.number("unseen", 0, 1, 0);
  recorded_case.by_throughput = root.choice("compares", {"time", "throughput"}, "time") == 1;
  for (const std::string& cause : recorded_case.causes)
    if (!CauseRules::all().contains(cause))
      root.error("causes", "'" + cause + "', expected causes of configs/advice");
  if (recorded_case.causes.empty()) root.error("causes", "missing; expected what was published");
  for (const std::uint32_t shards : read_numbers(root, "shards", 1000))
    recorded_case.shards.push_back(shards);
  recorded_case.ranks = static_cast<std::uint32_t>(root.integer("ranks", 1, kMostRanks));
  recorded_case.node = static_cast<std::uint32_t>(root.integer("node", 1, kMostRanks, 8));
  recorded_case.steps = static_cast<std::uint32_t>(root.integer("steps", 3, kMostSteps, 3));
  recorded_case.machine = read_machine(root.map("machine"));
  const std::vector<std::uint32_t> queues = read_numbers(root, "queues", 101);
  if (queues.size() == recorded_case.queues.size()) {
    for (std::size_t q = 0; q < recorded_case.queues.size(); ++q)
      recorded_case.queues[q] = static_cast<std::uint8_t>(queues[q]);
  } else if (!queues.empty()) {
    root.error("queues", "expected percents of three queues: of the device, of the host, of data");
  }
  for (const Config& activity : root.maps("step")) recorded_case.step.push_back(read_activity(activity));
  for (const Config& slow : root.maps("slow"))
    recorded_case.delays.push_back(read_delay(slow, recorded_case));
  Duration first = recorded_case.length();
  for (const RecordedCase::StepActivity& activity : recorded_case.step)
    if (activity.lane != Lane::kHost) first = std::min(first, activity.from);
  if (recorded_case.step.empty()) root.error("step", "missing; expected what ranks do in a step");
  recorded_case.wait = first;
  root.finish();
  return recorded_case;
}

}  // namespace a3sim
