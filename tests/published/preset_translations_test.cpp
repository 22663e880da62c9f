#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/scratch_directory.h"

// Each shipped preset on a tiny layer, as text that can be held against its paper's figures by eye.
using namespace a3sim;

namespace {

const std::filesystem::path kRecorded = std::string(A3SIM_SOURCE_DIR) + "/tests/published/translations";

Experiment tiny(const std::filesystem::path& preset) {
  const std::string text = fmt::format(
      "include: ['{}', '{}']\n", (configs_folder() / "experiments" / "ep4.yaml").string(), preset.string());
  std::vector<std::string> set{
      "parallel.ep=2", "model.tokens=64",          "model.hidden=256", "model.intermediate=128",
      "model.top_k=2", "model.experts_per_rank=2", "cut.shares=1"};
  const std::string name = preset.stem().string() + ".yaml";
  // There are but two ranks, so that parts of more sources would be all.
  if (parse_experiment(text, name, set).cut.sources > 1) set.emplace_back("cut.sources=1");
  return parse_experiment(text, name, set);
}

std::string place(const Ssc& ssc, const TaskDescriptor& td) {
  std::string text = ssc.operators()[td.op].name;
  if (td.expert != kNoExpert) text += fmt::format(" expert {}", td.expert);
  if (td.dst != index(ssc.rank())) text += fmt::format(" to {}", td.dst);
  if (td.src != index(ssc.rank())) text += fmt::format(" from {}", td.src);
  return text;
}

// What triggers each event of rank 0, by operator and rank.
std::map<std::uint32_t, std::set<std::string>> producers_of(const Schedule& schedule) {
  std::map<std::uint32_t, std::set<std::string>> producers;
  for (const Ssc& ssc : schedule)
    for (const TaskDescriptor& td : ssc.tasks())
      if (td.trigger_rank == 0)
        producers[td.trigger_event].insert(
            fmt::format("{}{}", ssc.operators()[td.op].name,
                        index(ssc.rank()) == 0 ? "" : fmt::format(" of rank {}", index(ssc.rank()))));
  return producers;
}

// The queues of rank 0: tasks of one operator, expert, source and destination that wait for the same are one line.
std::string queues_of(const Schedule& schedule) {
  const Ssc& ssc = schedule.front();
  const auto producers = producers_of(schedule);
  std::string text;
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
    std::vector<std::pair<std::string, std::size_t>> lines;
    for (const std::uint32_t task : ssc.queue(q)) {
      const TaskDescriptor& td = ssc.tasks()[task];
      std::string line = place(ssc, td);
      if (td.dependent_event != kNone)
        line += fmt::format(" <- {}", fmt::join(producers.at(td.dependent_event), ", "));
      if (lines.empty() || lines.back().first != line) lines.emplace_back(line, 0);
      ++lines.back().second;
    }
    text += fmt::format("  {}\n", ssc.kinds()[q].name);
    for (const auto& [line, tasks] : lines)
      text += fmt::format("    {}{}\n", tasks == 1 ? "" : fmt::format("{} x ", tasks), line);
  }
  return text;
}

// In which order operators, or their parts, begin on rank 0 if the host launches them.
std::string launches_of(const PassResult& pass) {
  std::map<std::tuple<Duration, std::uint32_t>, std::string> launched;
  const Ssc& ssc = pass.schedule.front();
  for (const HostActivity& activity : pass.run.ranks.front().host)
    if (activity.what == Blame::kLaunch)
      launched[{activity.end, activity.op}] = ssc.operators()[activity.op].name;
  std::vector<std::string> names;
  for (const auto& [at, name] : launched) names.push_back(name);
  return names.empty() ? "" : fmt::format("  launched: {}\n", fmt::join(names, ", "));
}

std::string translation_of(const std::filesystem::path& preset) {
  const Experiment experiment = tiny(preset);
  std::string text = fmt::format("{}: {}\n", preset.stem().string(), experiment.run.execution);
  for (const PassResult& pass : run_experiment(experiment, true))
    text += fmt::format("{}\n{}{}", pass.name, queues_of(pass.schedule), launches_of(pass));
  return text;
}

std::string contents_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("each shipped preset's tasks wait for what is recorded, in the order that is recorded") {
  for (const std::filesystem::path& preset : files_in(configs_folder() / "presets")) {
    const std::filesystem::path recorded = kRecorded / (preset.stem().string() + ".txt");
    const std::string text = translation_of(preset);
    INFO(recorded);
    if (const char* const folder = std::getenv("A3SIM_RECORD_TRANSLATIONS"))
      std::ofstream(std::filesystem::path(folder) / recorded.filename()) << text;
    CHECK(text == contents_of(recorded));
  }
}
