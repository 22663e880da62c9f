#include "sim/experiment/step/step_tasks.h"

#include <algorithm>
#include <cmath>

#include "sim/core/whole_time.h"

namespace a3sim {
namespace {

Duration stretched(Duration time, double factor) {
  return Duration(whole_picoseconds(static_cast<double>(time.count()) * factor));
}

}  // namespace

StepTasks::StepTasks(const StepParts& parts, StepProgram& written)
    : experiment_(parts.experiment),
      step_(parts.step),
      parts_(parts),
      written_(written),
      cables_(experiment_.run.cables, experiment_.hardware.fabric, step_.dies_a_stage()) {
  StreamProgram& program = written.program;
  program.ranks = step_.pp;
  program.kinds = {{"host thread", 1, true}};
  program.streams = {"HOST", "COMPUTE",   "EP",      "TP",       "CP",    "DP",
                     "SEND", "SEND_BACK", "SWAP_IN", "SWAP_OUT", "REDUCE"};
  for (std::uint32_t s = 0; s < step_.pp; ++s) written.dies.push_back(s * step_.dies_a_stage());
}

DieGroup StepTasks::expert_group() const {
  return {step_.expert_shards(),
          std::min(step_.ep * experiment_.parallel.tp_stride, step_.dies_a_stage() / step_.expert_copies())};
}

DieGroup StepTasks::copies_of(std::uint32_t stage) const {
  const std::uint32_t other = step_.pp - 1 - stage;
  const std::uint32_t apart = stage > other ? stage - other : other - stage;
  return {step_.copies, std::max(1U, apart * step_.dies_a_stage())};
}

StreamTask StepTasks::task(const ChunkWork& work, const char* name, StepStream stream,
                           AfterTasks after) const {
  StreamTask task;
  task.name = name;
  if (work.backward) task.name += "_bwd";
  task.rank = RankId{work.stage};
  task.stream = static_cast<std::uint32_t>(stream);
  task.after = std::move(after);
  return task;
}

StepTask StepTasks::of_work(const ChunkWork& work, StepTask::Kind kind) const {
  return {kind, work.backward, false, work.paired, kNone, work.chunk, work.micro_batch, work.weights_only};
}

std::uint32_t StepTasks::add(StreamTask task, StepTask step_task, std::vector<std::uint32_t> ways) {
  written_.tasks.push_back(step_task);
  written_.cables.of_transfer.push_back(std::move(ways));
  return written_.program.add(std::move(task));
}

void StepTasks::share_cables() { cables_.share(written_.cables); }

// Returns the entry in `classes` for a part. Parts with equal times share one.
std::uint32_t StepTasks::classes_of(const PartWork& part) {
  const auto found = std::ranges::find(written_.classes, part.classes);
  const auto number = static_cast<std::uint32_t>(found - written_.classes.begin());
  if (found == written_.classes.end()) {
    written_.classes.push_back(part.classes);
    written_.exchanging.push_back(part.exchanging);
  }
  return number;
}

std::uint32_t StepTasks::group_exchange(const ChunkWork& work, const char* name, StepStream stream,
                                        StepTask::Kind kind, DieGroup group, double sent, std::uint32_t calls,
                                        AfterTasks after) {
  const Hardware::Fabric& fabric = experiment_.hardware.fabric;
  if (step_.launch > Duration::zero())
    after.push_back(host(work, step_.launch * static_cast<std::int64_t>(calls), {}));
  StreamTask exchange = task(work, name, stream, std::move(after));
  exchange.hold =
      (experiment_.program.launch.queued + ring_latency(fabric, group)) * static_cast<std::int64_t>(calls);
  const bool to_all = kind == StepTask::Kind::kCp && step_.ulysses;
  exchange.transfers = to_all ? exchange_transfers(fabric, group, sent / (group.ranks - 1), 1, exchange.rank)
                              : ring_transfers(fabric, group, sent, exchange.rank);
  std::vector<std::uint32_t> ways =
      cables_.limit(work.stage, group, to_all ? StageCables::Exchange::kToAll : StageCables::Exchange::kRing,
                    exchange.transfers);
  return add(std::move(exchange), of_work(work, kind), std::move(ways));
}

AfterTasks StepTasks::compute(const ChunkWork& work, const char* name, const PartWork& part, AfterTasks after,
                              bool experts) {
  if (part.empty()) return after;
  AfterTasks ends;
  if (part.tp_sent > 0) {
    const std::uint32_t tp =
        group_exchange(work, "TP", StepStream::kTp, StepTask::Kind::kTp, {experts ? step_.etp : step_.tp, 1},
                       part.tp_sent, part.tp_calls, after);
    step_.tp_pipelined && !experts ? ends.push_back(tp) : void(after = {tp});
  }
  if (part.cp_sent > 0) {
    const std::uint32_t cp = group_exchange(work, "CP", StepStream::kCp, StepTask::Kind::kCp,
                                            {step_.cp, step_.tp}, part.cp_sent, part.cp_calls, after);
    // Keys go round beside attention, which begins with the die's own; heads must be there.
    step_.ulysses ? void(after = {cp}) : ends.push_back(cp);
  }
  if (step_.launch > Duration::zero() && part.calls > 0) {
    launched_kernels(work, name, part, std::move(after), experts, ends);
    return ends;
  }
  ends.push_back(kernels(work, name, part, std::move(after), experts));
  return ends;
}

std::uint32_t StepTasks::kernels(const ChunkWork& work, const char* name, const PartWork& part,
                                 AfterTasks after, bool experts) {
  StreamTask run = task(work, name, StepStream::kCompute, std::move(after));
  run.matrix = true;
  run.hold = part.hold;
  run.works_in_hold = true;
  run.job = part.job;
  run.job.ideal = stretched(part.job.ideal, work.slowness);
  StepTask about = of_work(work, StepTask::Kind::kCompute);
  about.classes = classes_of(part);
  about.experts = experts;
  return add(std::move(run), about);
}

std::uint32_t StepTasks::host(const ChunkWork& work, Duration hold, AfterTasks after) {
  StreamTask launch = task(work, "Launch", StepStream::kHost, std::move(after));
  launch.units = 1;
  launch.hold = hold;
  return add(std::move(launch), of_work(work, StepTask::Kind::kHost));
}

// Where the host is slower than the kernels, these do not run at once and leave the rest of its time idle, but each behind its
// own launch. A few pieces of a part stand for all of its kernels, so that programs stay small: with 16 of them no time of a
// published step moves, and the hidden part of exchanges by 0.01.
void StepTasks::launched_kernels(const ChunkWork& work, const char* name, const PartWork& part,
                                 AfterTasks after, bool experts, AfterTasks& ends) {
  constexpr std::uint32_t kMostPieces = 4;
  const std::uint32_t pieces = std::min(part.calls, kMostPieces);
  const auto launches = [&](std::uint32_t count) {
    return Duration(static_cast<std::int64_t>(static_cast<double>(step_.launch.count()) * count *
                                              (experts ? 1 : 1 - step_.captured)));
  };
  const auto first_of = [&](std::uint32_t piece) { return part.calls * piece / pieces; };
  for (std::uint32_t p = 0; p < pieces; ++p) {
    after.push_back(host(work, p == 0 ? step_.launch : launches(first_of(p) - first_of(p - 1)), {}));
    const std::uint32_t task =
        kernels(work, name, part.piece(first_of(p), first_of(p + 1), part.calls), std::move(after), experts);
    if (p + 1 == pieces) ends.push_back(task);
    after = {};
  }
  if (const std::uint32_t left = part.calls - 1 - first_of(pieces - 1); left > 0)
    ends.push_back(host(work, launches(left), {}));
}

AfterTasks StepTasks::exchange(const ChunkWork& chunk_work, const char* name, const ExchangeWork& work,
                               AfterTasks after, bool counted) {
  if (work.empty()) return after;
  if (step_.launch > Duration::zero()) {
    const bool waits = counted && step_.reads_counts && !step_.pad_experts;
    after.push_back(host(chunk_work, step_.launch, waits ? after : AfterTasks{}));
  }
  StreamTask exchange = task(chunk_work, name, StepStream::kEp, std::move(after));
  const double stretch = chunk_work.paired ? step_.exchange_stretch : 1;
  exchange.hold = stretched(work.hold, stretch);
  exchange.job = work.job;
  exchange.job.ideal = stretched(work.job.ideal, stretch);
  exchange.transfers = work.transfers;
  for (StreamTransfer& transfer : exchange.transfers) {
    transfer.dst = exchange.rank;
    transfer.rate = {
        std::max<std::int64_t>(1, std::llround(static_cast<double>(transfer.rate.count) / stretch))};
  }
  std::vector<std::uint32_t> ways =
      cables_.limit(chunk_work.stage, {step_.ep, std::max(1U, experiment_.parallel.tp_stride)},
                    StageCables::Exchange::kToAll, exchange.transfers);
  StepTask about = of_work(chunk_work, StepTask::Kind::kEp);
  about.experts = true;
  return {add(std::move(exchange), about, std::move(ways))};
}

AfterTasks StepTasks::send(const ChunkWork& work, std::uint32_t to_stage, AfterTasks after) {
  if (to_stage == work.stage) return after;
  if (step_.launch > Duration::zero()) {
    // One operation of the framework sends, and one receives.
    ChunkWork receiver = work;
    receiver.stage = to_stage;
    for (const ChunkWork& end : {work, receiver}) after.push_back(host(end, step_.launch, {}));
  }
  const double bytes = static_cast<double>(step_.block_layout().own_tokens()) * parts_.hidden * 2;
  StreamTask sent =
      task(work, "Send", work.backward ? StepStream::kPpBackward : StepStream::kPpForward, std::move(after));
  const Placement placement = placement_of(experiment_.hardware.fabric, written_.dies);
  const std::uint32_t level = placement.distance(work.stage, to_stage) - 1;
  const Hardware::Fabric::Level& l = experiment_.hardware.fabric.levels[level];
  sent.hold = experiment_.program.launch.queued + l.latency;
  sent.transfers = {{RankId{to_stage}, Bytes{static_cast<std::int64_t>(std::ceil(bytes))},
                     experiment_.hardware.fabric.planes[l.plane].egress}};
  std::vector<std::uint32_t> ways = cables_.limit_send(work.stage, to_stage, sent.transfers);
  return {add(std::move(sent), of_work(work, StepTask::Kind::kPp), std::move(ways))};
}

AfterTasks StepTasks::ring(const ChunkWork& work, const char* name, StepStream stream,
                           std::span<const Ring> rings, AfterTasks after) {
  const Hardware::Fabric& fabric = experiment_.hardware.fabric;
  StreamTask exchange = task(work, name, stream, after);
  Duration latency{};
  std::vector<std::uint32_t> ways;
  for (const auto& [group, bytes] : rings) {
    if (group.ranks < 2 || bytes <= 0) continue;
    const double sent = bytes * (group.ranks - 1) / group.ranks;
    std::vector<StreamTransfer> transfers = ring_transfers(fabric, group, sent, exchange.rank);
    std::ranges::copy(cables_.limit(work.stage, group, StageCables::Exchange::kRing, transfers),
                      std::back_inserter(ways));
    std::ranges::copy(transfers, std::back_inserter(exchange.transfers));
    latency += experiment_.program.launch.queued + ring_latency(fabric, group);
  }
  if (exchange.transfers.empty()) return after;
  exchange.hold = latency;
  return {add(std::move(exchange), of_work(work, StepTask::Kind::kDp), std::move(ways))};
}

AfterTasks StepTasks::swap(const ChunkWork& work, bool in, double bytes, AfterTasks after) {
  StreamTask moved = task(work, in ? "SwapIn" : "SwapOut", in ? StepStream::kSwapIn : StepStream::kSwapOut,
                          std::move(after));
  moved.hold = Duration(whole_picoseconds(bytes / static_cast<double>(step_.host_link.count) * 1e12));
  moved.works_in_hold = true;
  return {add(std::move(moved), of_work(work, StepTask::Kind::kSwap))};
}

AfterTasks StepTasks::update(const ChunkWork& work, const MemoryJob& job, AfterTasks after) {
  StreamTask kernel = task(work, "Update", StepStream::kCompute, std::move(after));
  kernel.job = job;
  kernel.hold = experiment_.program.launch.queued;
  return {add(std::move(kernel), of_work(work, StepTask::Kind::kUpdate))};
}

}  // namespace a3sim
