#include "tests/diagnosis/recorded_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

// Returns quantiles of the lengths between events of a Poisson process, scaled to sum to `all`.
std::vector<Duration> irregular(Duration all, std::uint32_t count) {
  std::vector<double> parts;
  double sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) sum += parts.emplace_back(-std::log1p(-(i + 0.5) / count));
  std::vector<Duration> lengths;
  for (const double part : parts)
    lengths.emplace_back(static_cast<std::int64_t>(static_cast<double>(all.count()) * part / sum));
  return lengths;
}

float microseconds_float(Duration time) { return static_cast<float>(microseconds(time)); }

Duration of_ms(double time) { return Duration(std::llround(time * 1e9)); }

constexpr std::uint32_t kNode = 8;  // ranks of a host

// Rules see parts of what the machine allows, so its own values do not matter.
ObservedMachine machine_of_cases() {
  ObservedMachine machine;
  machine.aic = machine.aiv = 1;
  machine.cube_rate = machine.vector_rate = 300e12;
  machine.hbm_read = 1.6e12;
  ObservedPlane& plane = machine.planes.emplace_back();
  plane.name = "links";
  plane.port = plane.worker = 100e9;
  plane.startup = of_ms(0.08);
  return machine;
}

}  // namespace

bool RecordedCase::HostDelay::has(std::uint32_t step) const {
  const auto before = [&](std::uint32_t s) { return static_cast<std::uint64_t>(share * s); };
  return before(step + 1) > before(step) || std::ranges::find(steps, step) != steps.end();
}

double RecordedCase::length_ms() const { return std::ranges::max(step, {}, &StepActivity::to_ms).to_ms; }

double RecordedCase::wait_ms() const {
  double first = length_ms();
  for (const StepActivity& activity : step)
    if (activity.lane != Lane::kHost) first = std::min(first, activity.from_ms);
  return first;
}

CaseObservation::CaseObservation(RecordedCase recorded_case)
    : case_(std::move(recorded_case)), length_(of_ms(case_.length_ms())), wait_(of_ms(case_.wait_ms())) {
  constexpr std::size_t kRecorded = 4;  // slow ones
  job_.ranks = case_.ranks;
  job_.machine = machine_of_cases();
  job_.passes = {"step"};
  for (const RecordedCase::StepActivity& activity : case_.step)
    if (activity.lane != Lane::kHost && std::ranges::find(job_.names, activity.name) == job_.names.end())
      job_.names.push_back(activity.name);
  for (std::uint32_t rank = 0; rank < case_.ranks; ++rank) job_.nodes.push_back(rank / kNode);
  bool usual = false;
  std::size_t slow = 0;
  for (std::uint32_t step = 0; step < case_.steps; ++step) {
    begins_.push_back(took_);
    Duration most{};
    for (std::uint32_t rank = 0; rank < case_.ranks; ++rank) most = std::max(most, held_up(step, rank));
    took_ += length_ + most;
    const bool is_slow = most > Duration::zero();
    if (step == 0 || (is_slow ? slow >= kRecorded : usual)) continue;
    full_.push_back(step);
    slow += is_slow;
    usual |= !is_slow;
  }
  job_.missing.push_back({"records of the job itself", "more than what was published of it"});
}

Duration CaseObservation::held_up(std::uint32_t step, std::uint32_t rank,
                                  const RecordedCase::HostDelay** by) const {
  Duration most{};
  for (const RecordedCase::HostDelay& slow : case_.delays) {
    if (!slow.has(step)) continue;
    const bool its = slow.rotates ? slow.ranks[step % slow.ranks.size()] == rank
                                  : std::ranges::find(slow.ranks, rank) != slow.ranks.end();
    if (!its || of_ms(slow.length_ms) <= most) continue;
    most = of_ms(slow.length_ms);
    if (by) *by = &slow;
  }
  return most;
}

std::vector<double> CaseObservation::step_lengths_ms() const {
  std::vector<double> lengths;
  for (std::uint32_t step = 0; step < case_.steps; ++step) {
    const Duration end = step + 1 < case_.steps ? begins_[step + 1] : took_;
    lengths.push_back(milliseconds(end - begins_[step]));
  }
  return lengths;
}

void CaseObservation::each_step(const Step& take) const {
  Duration aic{}, transfer{};
  for (const RecordedCase::StepActivity& activity : case_.step) {
    if (activity.lane == Lane::kCompute) aic += of_ms(activity.to_ms) - of_ms(activity.from_ms);
    if (activity.lane == Lane::kCommunication) transfer += of_ms(activity.to_ms) - of_ms(activity.from_ms);
  }
  for (std::uint32_t step = 0; step < case_.steps; ++step) {
    std::vector<LightRecord> records(case_.ranks);
    const Duration end = step + 1 < case_.steps ? begins_[step + 1] : took_;
    for (std::uint32_t rank = 0; rank < case_.ranks; ++rank) {
      LightRecord& record = records[rank];
      const Duration held = held_up(step, rank);
      record.step = step;
      record.rank = rank;
      record.start = begins_[step] + wait_ + held;
      record.arrival = begins_[step] + length_ + held;
      record.release = end;
      record.aic_busy = microseconds_float(aic);
      record.transfer = microseconds_float(transfer);
      record.late = microseconds_float(wait_ + held);
      record.fill = case_.queues;
    }
    take(step, records);
  }
}

void CaseObservation::add(const RecordedCase::StepActivity& activity, std::uint32_t rank, Duration begin,
                          FullStep& full) const {
  if (activity.lane == Lane::kHost) {
    HostRecord& event = full.host.emplace_back();
    event.step = full.step;
    event.rank = rank;
    event.kind = activity.kind;
    event.start = begin + of_ms(activity.from_ms);
    event.end = begin + of_ms(activity.to_ms);
    event.count = activity.count;
    return;
  }
  const Duration length = of_ms(activity.to_ms) - of_ms(activity.from_ms);
  OperatorRecord& record = full.operators.emplace_back();
  record.step = full.step;
  record.rank = rank;
  record.op = static_cast<std::uint32_t>(std::ranges::find(job_.names, activity.name) - job_.names.begin());
  record.lane = activity.lane;
  record.start = begin + of_ms(activity.from_ms);
  record.end = begin + of_ms(activity.to_ms);
  if (activity.lane == Lane::kCompute) {
    record.core = CoreKind::kCube;
    record.run = length;
    record.operations = activity.cores * seconds(length) * job_.machine.cube_rate;
    record.hbm_bytes = activity.memory * seconds(length) * job_.machine.hbm_read;
  }
  if (activity.bytes <= 0 || case_.ranks < 2) return;
  // A ring sends one transfer after the other.
  constexpr double kPicosecondsOfSecond = 1e12;
  const double rate = activity.uses * job_.machine.planes.front().port;
  const Duration one(static_cast<std::int64_t>(kPicosecondsOfSecond * activity.bytes / rate));
  constexpr int kMostOfStep = 64;
  Duration start = record.start;
  for (int sent = 0; sent < kMostOfStep && start + one <= record.end; ++sent, start += one) {
    TransferRecord& put = full.transfers.emplace_back();
    put.step = full.step;
    put.src = rank;
    put.dst = (rank + 1) % case_.ranks;
    put.op = record.op;
    put.start = start;
    put.end = start + one;
    put.bytes = activity.bytes;
  }
}

FullStep CaseObservation::full(std::uint32_t step) const {
  FullStep full;
  full.step = step;
  for (std::uint32_t rank = 0; rank < case_.ranks; ++rank) {
    full.ranks.push_back(rank);
    const RecordedCase::HostDelay* by = nullptr;
    const Duration held = held_up(step, rank, &by);
    for (const RecordedCase::StepActivity& activity : case_.step)
      add(activity, rank, begins_[step] + held, full);
    if (!by) continue;
    Duration start = begins_[step];
    for (const Duration length : irregular(held, by->count)) {
      HostRecord& event = full.host.emplace_back();
      event.step = step;
      event.rank = rank;
      event.kind = by->kind;
      event.start = start;
      start = event.end = start + length;
    }
  }
  return full;
}

RecordPlace CaseObservation::place_of(const LightRecord& record) const {
  return fmt::format("step {}, rank {}", record.step, record.rank);
}
RecordPlace CaseObservation::place_of(const OperatorRecord& record) const {
  return fmt::format("step {}, rank {}: {}", record.step, record.rank, job_.names[record.op]);
}
RecordPlace CaseObservation::place_of(const TransferRecord& record) const {
  return fmt::format("step {}, rank {} to {}", record.step, record.src, record.dst);
}
RecordPlace CaseObservation::place_of(const HostRecord& record) const {
  return fmt::format("step {}, host of rank {}: {}", record.step, record.rank, name_of(record.kind));
}

}  // namespace a3sim
