#include "sim/experiment/outcome/cable_blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

// Cables that delay flows together.
struct CableGroup {
  std::vector<const CableUse*> cables;
  std::uint32_t link = kNone;  // its place in Trace::links, set by the first delayed put
};

std::string end_of(const CableUse& cable, bool first) {
  const std::size_t arrow = cable.name.find("->");
  if (arrow == std::string::npos) return first ? cable.name : "";
  const std::string end = first ? cable.name.substr(0, arrow) : cable.name.substr(arrow + 2);
  return end.substr(0, end.find('#'));
}

// Returns the end that all these cables share; empty if there is none.
std::string common_end(const std::vector<const CableUse*>& cables, bool first) {
  const std::string end = cables.empty() ? "" : end_of(*cables.front(), first);
  const auto has_it = [&](const CableUse* cable) { return end_of(*cable, first) == end; };
  return std::ranges::all_of(cables, has_it) ? end : "";
}

// Returns "cable leaf0->spine1", "switch leaf0, 4 cables leaf-spine" or, if cables up and down between two
// leaves carry the same flows, "switches leaf0 to leaf1, 8 cables".
std::string group_name(const std::vector<const CableUse*>& cables) {
  const CableUse& first = *cables.front();
  if (cables.size() == 1) return "cable " + first.name;
  for (const bool from : {true, false}) {
    if (const std::string end = common_end(cables, from); !end.empty())
      return fmt::format("switch {}, {} cables {}", end, cables.size(), first.level);
  }
  std::vector<const CableUse*> up, down;
  for (const CableUse* const cable : cables) (cable->level == first.level ? up : down).push_back(cable);
  const std::string from = common_end(up, true), to = common_end(down, false);
  if (!from.empty() && !to.empty())
    return fmt::format("switches {} to {}, {} cables", from, to, cables.size());
  if (const std::string end = common_end(up, false), other = common_end(down, true);
      !end.empty() && !other.empty())
    return fmt::format("switches {} to {}, {} cables", other, end, cables.size());
  return fmt::format("cable {} and {} like it", first.name, cables.size() - 1);
}

// Returns how long the cable was full between two times.
Duration full_between(const CableUse& cable, Duration from, Duration to) {
  Duration sum{};
  auto at = std::ranges::upper_bound(cable.full_stretches, from, {}, &CableStretch::to);
  for (; at != cable.full_stretches.end() && at->from < to; ++at)
    sum += std::min(to, at->to) - std::max(from, at->from);
  return sum;
}

// Finds the cables that held puts of one run up.
class CableBlame {
 public:
  explicit CableBlame(const std::vector<CableUse>& cables) {
    for (const CableUse& cable : cables)
      if (!cable.full_stretches.empty()) groups_[cable.group].cables.push_back(&cable);
  }
  bool empty() const { return groups_.empty(); }

  // Of all cables on the task's way, or its ways.
  void name(const std::vector<const CablePath*>& paths, TraceTask& task, Trace& trace) {
    const Duration lost = task.lost[static_cast<std::size_t>(Limit::kLink)];
    CableGroup* longest = nullptr;
    for (const CablePath* const path : paths) {
      for (const CableShare& share : *path) {
        const auto group = groups_.find(share.cable);
        if (group == groups_.end()) continue;
        const Duration full = full_between(*group->second.cables.front(), task.start, task.done);
        if (full <= task.held) continue;
        task.held = full;
        longest = &group->second;
      }
    }
    if (!longest) return;
    task.held = std::min(task.held, lost);
    if (longest->link == kNone) {
      longest->link = static_cast<std::uint32_t>(trace.links.size());
      trace.links.push_back(group_name(longest->cables));
    }
    task.link = longest->link;
  }

 private:
  std::map<std::uint32_t, CableGroup> groups_;  // by number in the network
};

}  // namespace

void blame_cables(const Experiment& experiment, const PassResult& pass, Trace& trace) {
  CableBlame blame(pass.run.cables);
  if (blame.empty()) return;
  const std::vector<std::uint32_t> dies = dies_of(pass.schedule, experiment.run);
  const Topology topology(experiment.hardware, experiment.program, dies, experiment.run.transport,
                          experiment.representatives, experiment.run.cables);
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    for (std::size_t t = 0; t < trace.ranks[r].size(); ++t) {
      TraceTask& task = trace.ranks[r][t];
      const TaskDescriptor& td = pass.schedule[r].tasks()[t];
      if (td.src == td.dst || task.lost[static_cast<std::size_t>(Limit::kLink)] == Duration::zero()) continue;
      if (trace.operators[task.op].unit != TaskUnit::kPut) continue;
      blame.name({&topology.path(RankId{td.src}, RankId{td.dst})}, task, trace);
    }
  }
}

void blame_cables(const Experiment& experiment, const StreamPass& pass,
                  const std::vector<std::uint32_t>& places, Trace& trace) {
  CableBlame blame(pass.result.cables);
  if (blame.empty()) return;
  const std::vector<std::uint32_t> dies = dies_of(experiment.run.ranks);
  const Topology topology(experiment.hardware, Program{}, dies, Transport::kPuts, 0, experiment.run.cables);
  for (std::size_t t = 0; t < places.size(); ++t) {
    const StreamTask& stream_task = pass.program.tasks[t];
    if (places[t] == kNone) continue;
    TraceTask& task = trace.ranks[index(stream_task.rank)][places[t]];
    if (task.lost[static_cast<std::size_t>(Limit::kLink)] == Duration::zero()) continue;
    std::vector<const CablePath*> paths;
    for (const StreamTransfer& transfer : stream_task.transfers)
      if (transfer.dst != stream_task.rank) paths.push_back(&topology.path(stream_task.rank, transfer.dst));
    blame.name(paths, task, trace);
  }
}

}  // namespace a3sim
