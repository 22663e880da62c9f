#include <algorithm>
#include <charconv>
#include <cmath>

#include "traces/formats/ascend/ascend_files.h"
#include "traces/import/job_reader.h"

// Reads from trace_view.json what a rank sent to whom, and what its host did.
namespace a3sim {
namespace {

constexpr double kMostMicroseconds = 1e9;  // per event

struct Begins {
  std::string_view name;
  HostKind kind;
};
// Prefixes of names that frameworks, CANN and its runtime give to host events, longer ones before their own
// prefixes.
constexpr std::array kHostBegins{Begins{"AscendCL@aclopCompile", HostKind::kCompile},
                                 Begins{"AscendCL@aclrtLaunch", HostKind::kLaunch},
                                 Begins{"AscendCL@aclrtSynchronize", HostKind::kSync},
                                 Begins{"AscendCL@aclrtMalloc", HostKind::kAllocate},
                                 Begins{"AscendCL@aclrtFree", HostKind::kAllocate},
                                 Begins{"AscendCL@aclMalloc", HostKind::kAllocate},
                                 Begins{"AscendCL@aclrtMapMem", HostKind::kAllocate},
                                 Begins{"AscendCL@aclrtUnmapMem", HostKind::kAllocate},
                                 Begins{"enumerate(DataLoader)", HostKind::kFetch}};

// The wanted arguments of events.
constexpr std::array<std::string_view, 8> kWanted{"src rank", "dst rank",     "size(Byte)",   "link type",
                                                  "sim step", kQueueNames[0], kQueueNames[1], kQueueNames[2]};

std::optional<HostKind> host_kind(const TraceEvent& event) {
  if (event.category == "GC") return HostKind::kCollect;
  for (const auto& [kind, name] : kHostNames)
    if (event.name == name) return kind;
  for (const Begins& begins : kHostBegins)
    if (event.name.starts_with(begins.name)) return begins.kind;
  if (event.category == "cpu_op") return HostKind::kOther;  // an operator of the framework
  return {};
}

}  // namespace

std::span<const std::string_view> JobReader::wanted_arguments() const { return kWanted; }

void JobReader::event(std::uint32_t rank, const TraceEvent& event, Duration time) {
  const double length = event.length.value_or(0);
  if (begins_.empty() || !(length >= 0) || length > kMostMicroseconds) return;
  if (event.phase == "C") return add_fill(rank, event, time);
  if (event.number("dst rank") || event.name.starts_with("hcom_")) communicates_ = true;
  if (!in_full_) return;
  if (event.number("dst rank")) return add_transfer(rank, event, time);
  if (const std::optional<HostKind> kind = host_kind(event)) add_host(rank, event, *kind, time);
}

void JobReader::add_fill(std::uint32_t rank, const TraceEvent& event, Duration time) {
  if (event.name != kDataQueuesCounter) return;
  GatheredRankStep& step = seen(step_at(time), rank);
  for (std::size_t q = 0; q < kQueueNames.size(); ++q) {
    const std::optional<double> fill = event.number(kQueueNames[q]);
    if (!fill || !(*fill >= 0 && *fill <= 100)) continue;
    step.fill[q] = static_cast<std::uint8_t>(std::lround(*fill));
    has_.fill = true;
  }
}

void JobReader::add_transfer(std::uint32_t rank, const TraceEvent& event, Duration start) {
  const double src = event.number("src rank").value_or(rank), dst = *event.number("dst rank");
  const double bytes = event.number("size(Byte)").value_or(0);
  const auto is_rank = [&](double number) { return number >= 0 && number < ranks_; };
  if (!is_rank(src) || !is_rank(dst) || src == dst || static_cast<std::uint32_t>(src) != rank || !(bytes > 0))
    return;
  count(transfers_, "transfers");
  TransferRecord record;
  record.src = rank;
  record.dst = static_cast<std::uint32_t>(dst);
  record.op = name(event.name);
  const auto link = event.texts.find("link type");
  record.plane = plane(link == event.texts.end() ? "" : printable(link->second));
  record.start = start;
  record.end = start + from_microseconds(event.length.value_or(0));
  record.bytes = bytes;
  step(step_at(start)).transfers.push_back(record);
}

std::uint16_t JobReader::plane(const std::string& link) {
  constexpr std::size_t kMostLinks = 64;
  const auto found = std::ranges::find(links_, link);
  const auto number = static_cast<std::uint16_t>(found - links_.begin());
  if (found == links_.end() && links_.size() == kMostLinks) return 0;
  if (found == links_.end()) links_.push_back(link);
  return number;
}

void JobReader::add_host(std::uint32_t rank, const TraceEvent& event, HostKind kind, Duration start) {
  HostRecord record;
  record.rank = rank;
  record.kind = kind;
  record.start = start;
  record.end = start + from_microseconds(event.length.value_or(0));
  const std::optional<double> number = event.number("sim step");
  const bool told = number && *number >= 0 && steps_.contains(static_cast<std::uint64_t>(*number));
  std::vector<HostRecord>& events = step(told ? static_cast<std::uint64_t>(*number) : step_at(start)).host;
  if (kind != HostKind::kOther) {
    count(host_, "host events");
    of_hosts_.insert(rank);
    events.push_back(record);
    return;
  }
  // Operators of a framework call one another: the outermost stands for the inner ones, which end before
  // it.
  has_.framework = true;
  while (!events.empty() && events.back().rank == rank && events.back().kind == kind &&
         events.back().start >= record.start && events.back().end <= record.end) {
    record.count += events.back().count;
    events.pop_back();
    --framework_;
  }
  count(framework_, "operators of hosts");
  events.push_back(record);
}

std::uint64_t JobReader::step_at(Duration time) const {
  constexpr Duration kRounded(1'000'000);  // communication.json has times in quarters of a microsecond
  const auto after = begins_.upper_bound(time + kRounded);
  return after == begins_.begin() ? after->second : std::prev(after)->second;
}

}  // namespace a3sim
