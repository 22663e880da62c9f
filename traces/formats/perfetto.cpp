#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <tuple>

#include "sim/core/error.h"
#include "traces/analysis/causes.h"
#include "traces/formats/counters.h"
#include "traces/formats/trace_format.h"
#include "traces/observation.h"

// Perfetto's protobuf. Field numbers: github.com/google/perfetto, protos/perfetto/trace/trace_packet.proto and
// the messages beside it.
namespace a3sim {
namespace {

using protozero::pbf_writer;

enum TracePacket {
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kFlags = 13,
  kTrack = 60
};
enum SequenceFlags { kCleared = 1, kNeedsState = 2 };
enum TrackDescriptor {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kParent = 5,
  kCounter = 8,
  kOrdering = 11,
  kRank = 12
};
enum ProcessDescriptor { kPid = 1, kProcessName = 6 };
enum CounterDescriptor { kUnitName = 6 };
enum InternedData { kEventNames = 2 };
enum EventName { kIid = 1, kText = 2 };
enum TrackEvent {
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kDoubleValue = 44,
  kFlows = 47,
  kEndingFlows = 48
};
enum EventType { kBegin = 1, kEnd = 2, kValue = 4 };

constexpr std::uint32_t kPacket = 1;      // field of a trace
constexpr std::int32_t kExplicit = 3;     // children are ordered by their ranks
constexpr std::int64_t kStretches = 500;  // per pass; counters have one value in each
constexpr std::uint64_t kCounters = 16;   // the most that a rank has
constexpr std::uint64_t kMostSlices = 20'000'000;

std::uint64_t nanoseconds(Duration time) { return static_cast<std::uint64_t>(time.count() / 1000); }

// Writes the packets of a trace, one after the other.
class Packets {
 public:
  // Adds a process, which has no parent, or a track below one. `place` is its pid, or its place among its
  // siblings.
  void track(std::uint64_t uuid, std::uint64_t parent, std::string_view name, std::size_t place,
             const std::string_view* unit = nullptr);
  // Gives names of slices once. Later packets use their numbers, from 1.
  void names(std::span<const std::string> texts);
  // Adds a slice, with the arrow that ends at it (0: none) and the arrows that leave it, numbered on.
  void slice(std::uint64_t track, std::uint64_t name, Duration from, Duration to, std::uint64_t ending = 0,
             std::uint64_t first_leaving = 0, std::uint64_t leaving = 0);
  void value(std::uint64_t track, Duration time, double value);
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::string take() { return std::move(bytes_); }

 private:
  void add() {
    pbf_writer(bytes_).add_message(kPacket, packet_);
    packet_.clear();
  }
  void add_event(Duration time, bool has_name) {
    pbf_writer packet(packet_);
    packet.add_uint64(kTimestamp, nanoseconds(time));
    packet.add_uint32(kSequence, 1);
    if (has_name) packet.add_uint32(kFlags, kNeedsState);
    packet.add_message(kTrackEvent, event_);
    add();
    event_.clear();
  }

  std::string bytes_, packet_, event_;
};

void Packets::track(std::uint64_t uuid, std::uint64_t parent, std::string_view name, std::size_t place,
                    const std::string_view* unit) {
  {
    pbf_writer packet(packet_);
    pbf_writer descriptor(packet, kTrack);
    descriptor.add_uint64(kUuid, uuid);
    if (parent == 0) {
      pbf_writer process(descriptor, kProcess);
      process.add_int32(kPid, static_cast<std::int32_t>(place));
      process.add_string(kProcessName, name.data(), name.size());
    } else {
      descriptor.add_string(kName, name.data(), name.size());
      descriptor.add_uint64(kParent, parent);
      descriptor.add_int32(kRank, static_cast<std::int32_t>(place));
    }
    if (unit != nullptr) {
      pbf_writer counter(descriptor, kCounter);
      counter.add_string(kUnitName, unit->data(), unit->size());
    } else {
      descriptor.add_enum(kOrdering, kExplicit);
    }
  }
  add();
}

void Packets::names(std::span<const std::string> texts) {
  {
    pbf_writer packet(packet_);
    packet.add_uint32(kSequence, 1);
    packet.add_uint32(kFlags, kCleared | kNeedsState);
    pbf_writer interned(packet, kInterned);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      pbf_writer name(interned, kEventNames);
      name.add_uint64(kIid, i + 1);
      name.add_string(kText, texts[i]);
    }
  }
  add();
}

void Packets::slice(std::uint64_t track, std::uint64_t name, Duration from, Duration to, std::uint64_t ending,
                    std::uint64_t first_leaving, std::uint64_t leaving) {
  pbf_writer event(event_);
  event.add_enum(kType, kBegin);
  event.add_uint64(kNameIid, name);
  event.add_uint64(kTrackUuid, track);
  for (std::uint64_t i = 0; i < leaving; ++i) event.add_fixed64(kFlows, first_leaving + i);
  if (ending != 0) event.add_fixed64(kEndingFlows, ending);
  add_event(from, true);
  event.add_enum(kType, kEnd);
  event.add_uint64(kTrackUuid, track);
  add_event(to, false);
}

void Packets::value(std::uint64_t track, Duration time, double value) {
  pbf_writer event(event_);
  event.add_enum(kType, kValue);
  event.add_uint64(kTrackUuid, track);
  event.add_double(kDoubleValue, value);
  add_event(time, false);
}

// Writes one pass after the other, on the same tracks.
class PerfettoWriter {
 public:
  explicit PerfettoWriter(std::span<const TracedPass> passes);
  std::string write();

 private:
  // Return a rank's tracks: itself, its kinds of worker, its workers, its counters.
  std::uint64_t rank_track(std::size_t rank) const {
    return 1 + rank * (1 + machine_.workers.size() + workers_ + kCounters);
  }
  std::uint64_t worker_track(std::size_t rank, std::uint32_t w) const {
    return rank_track(rank) + 1 + machine_.workers.size() + w;
  }
  std::uint64_t counter_track(std::size_t rank, std::size_t c) const {
    return worker_track(rank, workers_) + c;
  }

  void add_tracks();
  void add_names();
  void number_arrows(const Causes& causes);
  void add_worker(const Causes& causes, std::uint32_t rank, std::uint32_t worker);
  void add_counters(const Causes& causes);

  std::span<const TracedPass> passes_;
  const TraceMachine& machine_;
  std::uint32_t workers_;
  Packets packets_;
  bool has_counters_ = false;
  // State of the current pass: its begin; the number of its first operator's name; by rank and task, the
  // arrow that ends there, and the first and the number of those that leave.
  struct Arrows {
    std::uint64_t ending = 0, first_leaving = 0;
    std::uint32_t leaving = 0;
  };
  Duration begin_{};
  std::uint64_t first_name_ = 1, arrows_ = 1;  // number of the next arrow
  std::vector<std::vector<Arrows>> arrows_at_;
};

PerfettoWriter::PerfettoWriter(std::span<const TracedPass> passes)
    : passes_(passes), machine_(passes.front().trace.machine), workers_(machine_.workers.workers()) {}

void PerfettoWriter::add_tracks() {
  for (std::size_t r = 0; r < passes_.front().trace.ranks.size(); ++r) {
    const std::uint64_t rank = rank_track(r);
    packets_.track(rank, 0, fmt::format("rank {}", r), r + 1);
    std::uint32_t worker = 0;
    for (std::uint32_t k = 0; k < machine_.workers.size(); ++k) {
      const WorkerKind& kind = machine_.workers[k];
      packets_.track(rank + 1 + k, rank, kind.name, kCounters + k);
      for (std::uint32_t w = 0; w < kind.count; ++w, ++worker)
        packets_.track(worker_track(r, worker), rank + 1 + k, fmt::format("{} {}", kind.name, w), w);
    }
  }
}

void PerfettoWriter::add_names() {
  std::vector<std::string> names;
  for (const TracedPass& pass : passes_) {
    for (const TraceOperator& op : pass.trace.operators) names.push_back(op.name);
    for (const TraceOperator& op : pass.trace.operators) names.push_back("wait: " + op.name);
  }
  packets_.names(names);
}

// True if a task waited for its event, so that an arrow shows which task completed it.
bool waited(const Causes& causes, TaskAt at) {
  return !causes.trace().machine.has_kernels && causes.ready(at) > causes.task(at).taken;
}

// Numbers an arrow for each task that waited. A viewer draws an arrow from the slice that it leaves to the
// first later one that ends it, so that each needs its own number.
void PerfettoWriter::number_arrows(const Causes& causes) {
  const Trace& trace = causes.trace();
  arrows_at_.clear();
  for (const std::vector<TraceTask>& tasks : trace.ranks) arrows_at_.emplace_back(tasks.size());
  const auto at = [&](TaskAt task) -> Arrows& { return arrows_at_[task.rank][task.task]; };
  const auto each_that_waited = [&](const auto& work) {
    for (std::uint32_t r = 0; r < trace.ranks.size(); ++r)
      for (std::uint32_t t = 0; t < trace.ranks[r].size(); ++t)
        if (waited(causes, {r, t})) work(TaskAt{r, t}, causes.producer({r, t}));
  };
  each_that_waited([&](TaskAt, TaskAt producer) { ++at(producer).leaving; });
  for (std::vector<Arrows>& of_rank : arrows_at_) {
    for (Arrows& arrows : of_rank) {
      arrows.first_leaving = arrows_;
      arrows_ += arrows.leaving;
      arrows.leaving = 0;
    }
  }
  each_that_waited([&](TaskAt task, TaskAt producer) {
    Arrows& arrows = at(producer);
    at(task).ending = arrows.first_leaving + arrows.leaving++;
  });
}

// Adds a worker's time, task by task: the wait for it, and its run.
void PerfettoWriter::add_worker(const Causes& causes, std::uint32_t rank, std::uint32_t worker) {
  const std::uint64_t track = worker_track(rank, worker), operators = causes.trace().operators.size();
  for (const std::uint32_t t : causes.tasks_of(rank, worker)) {
    const TraceTask& task = causes.task({rank, t});
    const Arrows& arrows = arrows_at_[rank][t];
    if (arrows.ending != 0)
      packets_.slice(track, first_name_ + operators + task.op, begin_ + task.taken, begin_ + task.start);
    packets_.slice(track, first_name_ + task.op, begin_ + task.start, begin_ + task.end, arrows.ending,
                   arrows.first_leaving, arrows.leaving);
  }
}

void PerfettoWriter::add_counters(const Causes& causes) {
  const Duration stretch(std::max<std::int64_t>(1000, causes.trace().makespan.count() / kStretches + 1));
  const std::vector<std::vector<Counter>> by_rank = counters_of(causes, stretch);
  for (std::size_t r = 0; r < by_rank.size(); ++r) {
    for (std::size_t c = 0; c < by_rank[r].size(); ++c) {
      const Counter& counter = by_rank[r][c];
      if (!has_counters_) packets_.track(counter_track(r, c), rank_track(r), counter.name, c, &counter.unit);
      for (std::size_t i = 0; i < counter.means.size(); ++i) {
        const Duration time = begin_ + static_cast<std::int64_t>(i) * stretch;
        if (counter.means[i]) packets_.value(counter_track(r, c), time, *counter.means[i]);
      }
    }
  }
  has_counters_ = true;
}

std::string PerfettoWriter::write() {
  constexpr std::size_t kBytes = 90;  // about, per task and its wait
  std::size_t tasks = 0;
  for (const TracedPass& pass : passes_)
    for (const std::vector<TraceTask>& rank : pass.trace.ranks) tasks += rank.size();
  packets_.reserve(kBytes * tasks);
  add_tracks();
  add_names();
  for (const TracedPass& pass : passes_) {
    const Causes causes(pass.trace);
    number_arrows(causes);
    for (std::uint32_t r = 0; r < pass.trace.ranks.size(); ++r)
      for (std::uint32_t w = 0; w < workers_; ++w) add_worker(causes, r, w);
    add_counters(causes);
    begin_ += pass.trace.makespan;
    first_name_ += 2 * pass.trace.operators.size();
  }
  return packets_.take();
}

// Writes the steps of a job that were recorded in full: a track per rank, lane and, where records overlap, one beside it.
class PerfettoJobWriter {
 public:
  explicit PerfettoJobWriter(const Observation& job) : job_(job) {}

  std::string write() {
    std::vector<std::string> names = job_.names();
    const std::size_t of_operators = names.size();
    for (const std::string_view kind : names_of(HostKind{})) names.emplace_back(kind);
    std::vector<Slice> slices;
    for (const std::uint32_t step : job_.full_steps()) {
      const FullStep full = job_.full(step);
      for (const OperatorRecord& record : full.operators)
        slices.push_back({record.rank, record.lane, record.op, record.start, record.end});
      for (const HostRecord& record : full.host)
        slices.push_back({record.rank, Lane::kHost,
                          static_cast<std::uint32_t>(of_operators) + static_cast<std::uint32_t>(record.kind),
                          record.start, record.end});
      if (slices.size() > kMostSlices)
        throw InputError(
            fmt::format("more than {} records, which no viewer opens: profile fewer steps", kMostSlices));
    }
    if (slices.empty()) throw InputError("nothing with times is in this result");
    std::ranges::stable_sort(
        slices, {}, [](const Slice& slice) { return std::tuple(slice.rank, slice.lane, slice.start); });
    packets_.names(names);
    const Duration first = std::ranges::min_element(slices, {}, &Slice::start)->start;
    for (const Slice& slice : slices)
      packets_.slice(track_of(slice), 1 + slice.name, slice.start - first, slice.end - first);
    return packets_.take();
  }

 private:
  struct Slice {
    std::uint32_t rank = 0;
    Lane lane = Lane::kHost;
    std::uint32_t name = 0;
    Duration start{}, end{};
  };
  struct Track {
    std::uint64_t uuid = 0;
    Duration end{};
  };

  // Returns a track on which the slice overlaps no other, and makes it where there is none.
  std::uint64_t track_of(const Slice& slice) {
    const auto [rank, added] = ranks_.try_emplace(slice.rank, tracks_ + 1);
    if (added) packets_.track(++tracks_, 0, fmt::format("rank {}", slice.rank), slice.rank + 1);
    std::vector<Track>& lanes = lanes_[{slice.rank, slice.lane}];
    for (Track& track : lanes) {
      if (track.end > slice.start) continue;
      track.end = slice.end;
      return track.uuid;
    }
    const std::size_t place = kPlaces * static_cast<std::size_t>(slice.lane) + lanes.size();
    packets_.track(++tracks_, rank->second, std::string(name_of(slice.lane)), place);
    lanes.push_back({tracks_, slice.end});
    return tracks_;
  }

  static constexpr std::size_t kPlaces = 1000;  // tracks of a lane

  const Observation& job_;
  Packets packets_;
  std::uint64_t tracks_ = 0;
  std::map<std::uint32_t, std::uint64_t> ranks_;
  std::map<std::pair<std::uint32_t, Lane>, std::vector<Track>> lanes_;
};

class Perfetto final : public TraceFormat {
 public:
  std::uint64_t most_tasks() const override { return kMostSlices; }
  std::vector<OutputFile> write(std::span<const TracedPass> passes) const override {
    return {{"", PerfettoWriter(passes).write()}};
  }
  std::vector<OutputFile> write_job(const Observation& job) const override {
    return {{"", PerfettoJobWriter(job).write()}};
  }
};

A3SIM_REGISTER(TraceFormat, "perfetto",
               "protobuf for ui.perfetto.dev: ranks, workers, waits, arrows from events and puts, counters",
               Perfetto);

}  // namespace
}  // namespace a3sim
