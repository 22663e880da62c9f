#include "sim/memory/memory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sim/core/whole_time.h"

namespace a3sim {

namespace {

constexpr std::int64_t kNever = EarliestOf::kNever;
static_assert(Time(Duration(kNever)) == Time::max());
constexpr std::uint32_t kUnbound = kResources;

// Shares of a capacity are multiples of this, so that sums of up to 256 capacities are exact in a double.
// Demand is updated by adding and subtracting, and still depends on the running jobs only.
constexpr double kQuantum = 0x1p-45;

// The share of a resource that jobs keep even if puts reserve all of it.
constexpr double kLeastShare = 0.01;

// Rounding noise of doubles, in picoseconds: a time that exceeds a whole picosecond by less counts as that
// picosecond.
constexpr double kSlack = 0x1p-6;

std::int64_t count(Time t) { return t.time_since_epoch().count(); }

[[noreturn]] void refuse(const char* what) { throw std::logic_error(what); }

}  // namespace

MemoryJob& MemoryJob::operator+=(const MemoryJob& next) {
  ideal += next.ideal;
  for (std::uint32_t r = 0; r < kResources; ++r) bytes[r] += next.bytes[r];
  arithmetic += next.arithmetic;
  missing += next.missing;
  hbm += next.hbm;
  return *this;
}

Memory::Memory(std::array<double, kResources> capacity, std::uint32_t slots)
    : capacity_(capacity), slots_(slots), ends_(slots), next_end_(kNever) {
  for (double c : capacity) {
    if (!(c > 0)) refuse("a memory's capacities are positive");
  }
  available_.fill(1);
  open_.reserve(slots);
}

void Memory::change(Time now) {
  const std::int64_t time = count(now);
  if (time < now_) refuse("a memory's times never decrease");
  if (changed_ && time > now_) refuse("a memory was not settled at the time of its last change");
  if (next_end_ <= time) refuse("a memory's ended jobs were not taken");
  now_ = time;
  changed_ = true;
}

void Memory::start(Time now, std::uint32_t slot, const MemoryJob& job) {
  change(now);
  if (slot >= slots_.size() || ends_[slot] != kNever) refuse("a memory's slot does not exist or is taken");
  if (job.ideal <= Duration(0)) refuse("a memory job takes time");
  Slot& s = slots_[slot];
  const double ideal = seconds(job.ideal);
  for (std::uint32_t r = 0; r < kResources; ++r) {
    s.use[r] = std::nearbyint(job.bytes[r] / ideal / capacity_[r] / kQuantum) * kQuantum;
    demand_[r] += s.use[r];
  }
  const double l2 = job.bytes[0] + job.bytes[1], hbm = job.bytes[2];
  s.fairness = (l2 > 0 ? l2 : hbm) / ideal;
  for (std::uint32_t r = 0; r < kResources; ++r) s.slope[r] = s.use[r] > 0 ? s.use[r] / s.fairness : 0;
  s.speed = 1;
  s.bound = kUnbound;
  s.left = static_cast<double>(job.ideal.count());
  s.since = s.start = now_;
  s.lost.fill(0);
  s.job = job;
  ends_.set(slot, now_ + job.ideal.count());
  next_end_ = std::min(next_end_, ends_[slot]);
}

void Memory::reserve(Time now, const std::array<double, kResources>& rates) {
  change(now);
  for (std::uint32_t r = 0; r < kResources; ++r) {
    available_[r] = std::max(kLeastShare, 1 - rates[r] / capacity_[r]);
  }
}

Time Memory::settle(Time now) {
  if (count(now) < now_) refuse("a memory's times never decrease");
  if (changed_) {
    if (count(now) > now_) refuse("a memory was not settled at the time of its last change");
    bool saturated = false;
    for (std::uint32_t r = 0; r < kResources; ++r) saturated |= demand_[r] > available_[r];
    if (saturated || saturated_) solve();
    saturated_ = saturated;
    changed_ = false;
  }
  return Time(Duration(next_end_));
}

void Memory::advance(Time now, std::vector<std::uint32_t>& ended) {
  const std::int64_t time = count(now);
  if (time < now_) refuse("a memory's times never decrease");
  if (time < next_end_) return;
  if (changed_ && time > now_) refuse("a memory was not settled at the time of its last change");
  now_ = time;
  changed_ = true;
  ends_.each_until(time, [&](std::size_t slot) {
    end(static_cast<std::uint32_t>(slot));
    ended.push_back(static_cast<std::uint32_t>(slot));
  });
  next_end_ = ends_.earliest();
}

double Memory::left(Time now, std::uint32_t slot) const {
  if (ends_[slot] == kNever) return 0;
  const Slot& s = slots_[slot];
  const double left = s.left - s.speed * static_cast<double>(count(now) - s.since);
  return std::clamp(left / static_cast<double>(s.job.ideal.count()), 0.0, 1.0);
}

void Memory::end(std::uint32_t slot) {
  Slot& s = slots_[slot];
  fold(s, ends_[slot]);
  round_losses(s, ends_[slot]);
  for (std::uint32_t r = 0; r < kResources; ++r) {
    demand_[r] -= s.use[r];
    moved_[r] += s.job.bytes[r];
  }
  ends_.set(slot, kNever);
}

// Progressive filling: the level of every open job rises until a resource is full. The level at which the
// first would be full if no job reached its own full speed is a lower bound; jobs that reach theirs below it
// are settled first.
void Memory::solve() {
  open_.clear();
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (ends_[slot] != kNever && slots_[slot].fairness > 0) open_.push_back(slot);
  }
  left_ = available_;
  double level = 0;
  while (!open_.empty()) {
    Shares slope{};  // shares of each resource that a rise of the level by one takes
    for (std::uint32_t slot : open_) {
      const Slot& s = slots_[slot];
      for (std::uint32_t r = 0; r < kResources; ++r) slope[r] += s.slope[r];
    }
    double full = std::numeric_limits<double>::infinity();
    std::uint32_t first = kUnbound;
    for (std::uint32_t r = 0; r < kResources; ++r) {
      if (slope[r] > 0 && left_[r] < full * slope[r]) {
        full = left_[r] / slope[r];
        first = r;
      }
    }
    level = std::max(level, full);  // rounding must not make it fall
    const std::size_t open = open_.size();
    freeze_at_full_speed(level);
    if (open_.size() == open) freeze_bound(first, level);
  }
  next_end_ = ends_.earliest();
}

void Memory::freeze_at_full_speed(double level) {
  std::size_t kept = 0;
  for (std::uint32_t slot : open_) {
    const Slot& s = slots_[slot];
    if (s.fairness > level) {
      open_[kept++] = slot;
      continue;
    }
    for (std::uint32_t r = 0; r < kResources; ++r) left_[r] -= s.use[r];
    run_at(slot, 1, kUnbound);
  }
  open_.resize(kept);
}

void Memory::freeze_bound(std::uint32_t resource, double level) {
  std::size_t kept = 0;
  for (std::uint32_t slot : open_) {
    const Slot& s = slots_[slot];
    if (s.slope[resource] == 0) {
      open_[kept++] = slot;
      continue;
    }
    for (std::uint32_t r = 0; r < kResources; ++r) left_[r] -= level * s.slope[r];
    run_at(slot, level / s.fairness, resource);
  }
  open_.resize(kept);
}

void Memory::run_at(std::uint32_t slot, double speed, std::uint32_t bound) {
  Slot& s = slots_[slot];
  if (s.speed != speed || s.bound != bound) {
    fold(s, now_);
    s.speed = speed;
    s.bound = bound;
    ends_.set(slot, now_ + std::max<std::int64_t>(1, whole_picoseconds(s.left / speed - kSlack)));
  }
}

void Memory::fold(Slot& s, std::int64_t now) {
  const auto passed = static_cast<double>(now - s.since);
  s.left -= s.speed * passed;
  if (s.bound != kUnbound) s.lost[s.bound] += (1 - s.speed) * passed;
  s.since = now;
}

// Rounds to whole picoseconds by largest remainder. The floors never exceed the total, because the time of
// the end was rounded up.
void Memory::round_losses(Slot& s, std::int64_t end) {
  std::int64_t rest = end - s.start - s.job.ideal.count();
  s.loss = {};
  if (rest == 0) return;
  Shares remainder;
  for (std::uint32_t r = 0; r < kResources; ++r) {
    const double whole = std::floor(s.lost[r]);
    remainder[r] = s.lost[r] > 0 ? s.lost[r] - whole : -1;
    s.loss.lost[r] = Duration(static_cast<std::int64_t>(whole));
    rest -= static_cast<std::int64_t>(whole);
  }
  for (; rest > 0; --rest) {
    const auto largest = std::max_element(remainder.begin(), remainder.end());
    s.loss.lost[largest - remainder.begin()] += Duration(1);
    *largest -= 1;
  }
}

}  // namespace a3sim
