#include "sim/runtime/put_unit.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace a3sim {

bool PutUnit::look_up(Engine& engine, std::uint32_t worker, const Work& work, OpId op) {
  Running& running = puts_[worker];
  bool arrives = false;
  const std::uint32_t ranks = fabric_.topology().ranks(), other = index(running.other());
  PutUnit& there = *unit_of(running.other());
  for (const Stream& stream : work.streams) {
    TensorAccess whole;
    whole.l2.tensor = stream.tensor;
    whole.l2.rows = stream.rows;
    whole.l2.byte_end = static_cast<std::uint32_t>(stream.bytes / stream.rows.size());
    whole.l2.write = stream.write;
    const std::uint64_t row = whole.l2.byte_end;
    running.put.whole_lines &= stream.bytes % kL2Line == 0 && stream.rows.begin * row % kL2Line == 0;
    if (stream.write != running.put.pulled) {
      arrives = true;
      there.arrivals_.push_back({worker, (other + ranks - index(rank_)) % ranks, this, op, whole});
    } else {
      running.hbm_here += hbm_of(running, owner_.access_of_put(whole, op));
    }
  }
  engine.settle(there, 0);
  return arrives;
}

double PutUnit::hbm_of(Running& running, const L2Traffic& found) const {
  running.outcome.l2 += found;
  return memory_.as_reads(static_cast<double>(found.hbm_read), static_cast<double>(found.hbm_write));
}

void PutUnit::on_settle(Engine& engine, std::uint32_t) {
  std::ranges::stable_sort(arrivals_, {}, [](const Arrival& a) { return std::tuple(a.worker, a.distance); });
  for (const Arrival& arrival : arrivals_) {
    Running& running = arrival.source->puts_[arrival.worker];
    const L2Traffic found = owner_.access_of_put(arrival.access, arrival.op);
    running.hbm_there += hbm_of(running, found);
    if (running.put.pulled)
      running.put.missed =
          std::min(1.0, running.put.missed + static_cast<double>(found.hbm_read) /
                                                 static_cast<double>(running.put.bytes.count));
  }
  for (const Arrival& arrival : arrivals_) {
    if (std::exchange(arrival.source->puts_[arrival.worker].flows_then, false))
      arrival.source->let_flow(engine, arrival.worker);
  }
  arrivals_.clear();
}

void PutUnit::start(Engine& engine, std::uint32_t worker, const Work& work, OpId op, double slowness,
                    const Hardware::CopyEngine* copies) {
  Running& running = puts_[worker];
  running = {};
  running.put = {work.src, work.dst, Bytes{static_cast<std::int64_t>(work.put_bytes)}, true, slowness};
  running.put.pulled = work.src != rank_;
  running.fence = copies ? Duration::zero() : fabric_.fence();
  if (copies) running.put.rate = copies->rate;
  const Rows rows = work.streams.empty() ? Rows{} : work.streams.front().rows;
  if (work.put_pieces > 0) {
    running.put.rate = fabric_.rate_of_pieces(running.put, work);
  } else if (!copies) {
    running.put.rate = fabric_.rate_of_single_pieces(running.put, rows.size());
  }
  running.started = engine.now();
  if (running.put.bytes.count == 0) return put_has_left(engine, worker);
  fabric_.take_up(running.put);
  const bool arrives = look_up(engine, worker, work, op);
  transfer_.begin(engine.now());
  unit_of(running.other())->transfer_.begin(engine.now());
  const Duration startup = copies                ? copies->startup
                           : work.put_pieces > 0 ? Duration::zero()
                                                 : fabric_.startup();
  if (!copies && !running.put.pulled && fabric_.by_workers()) running.under_way = under_way(work);
  const Duration before = startup + there_and_back(running) + fabric_.wait(running.put, op, rows.begin);
  running.outcome.ideal = before + fabric_.least(running.put, engine.now() + before);
  running.flows_then = arrives && before == Duration::zero();
  if (running.flows_then) return;
  schedule(engine, engine.now() + before, kFlow, worker);
}

// A mover has a piece under way, which has left its buffer and not arrived.
double PutUnit::under_way(const Work& work) {
  constexpr double kUsualPiece = 8192;  // put_mem_signal's half of a buffer of 16 KB
  const auto bytes = static_cast<double>(work.put_bytes);
  return std::min(bytes, work.put_pieces > 0 ? bytes / static_cast<double>(work.put_pieces) : kUsualPiece);
}

void PutUnit::on_event(Engine& engine, std::uint32_t arg) {
  const std::uint32_t worker = arg >> 1;
  (arg & 1) == kFlow ? let_flow(engine, worker) : owner_.put_has_ended(engine, worker);
}

void PutUnit::let_flow(Engine& engine, std::uint32_t worker) {
  Running& running = puts_[worker];
  const auto bytes = static_cast<double>(running.put.bytes.count);
  running.outcome.missing = fabric_.missing(running.put, engine.now());
  move(running, bytes, 1);
  fabric_.start(engine, running.put, worker);
}

void PutUnit::move(const Running& running, double bytes, int sign) {
  held_ += sign * std::llround(running.under_way);
  PutUnit& there = *unit_of(running.other());
  PutUnit& from = running.put.pulled ? there : *this;
  PutUnit& to = running.put.pulled ? *this : there;
  const auto [read, write] = running.put.pulled ? std::pair(running.hbm_there, running.hbm_here)
                                                : std::pair(running.hbm_here, running.hbm_there);
  from.load_.leave(sign * bytes, sign * read);
  to.load_.arrive(sign * bytes, sign * write);
}

// Returns the latency before bytes flow: a read's request travels one way before its bytes come the other; a
// write has none.
Duration PutUnit::there_and_back(const Running& running) const {
  return running.put.pulled ? 2 * fabric_.latency(running.put.src, running.put.dst) : Duration::zero();
}

void PutUnit::put_has_left(Engine& engine, std::uint32_t worker) {
  Running& running = puts_[worker];
  // A network treats ends within the noise of doubles as one: a put alone may end a picosecond early.
  const Duration took = engine.now() - running.started;
  Outcome& outcome = running.outcome;
  outcome.ideal = std::min(outcome.ideal, took);
  outcome.missing = std::min(outcome.missing, took - outcome.ideal);
  outcome.lost = took - outcome.ideal - outcome.missing;
  outcome.ideal += running.fence;
  if (const auto bytes = static_cast<double>(running.put.bytes.count); bytes > 0) {
    fabric_.let_go(running.put);
    transfer_.end(engine.now());
    unit_of(running.other())->transfer_.end(engine.now());
    move(running, bytes, -1);
    unit_of(running.put.src)->sent_ += static_cast<std::uint64_t>(running.put.bytes.count);
    unit_of(running.put.dst)->received_ += static_cast<std::uint64_t>(running.put.bytes.count);
  }
  // Rows that a rank has read for itself are visible to its other cores once its own writes are.
  const Duration seen =
      running.put.pulled ? fabric_.fence() : fabric_.latency(running.put.src, running.put.dst);
  owner_.put_has_left(engine, worker, engine.now() + seen);
  schedule(engine, engine.now() + running.fence, kFenced, worker);
}

void PutUnit::reserve_for_puts(Engine& engine, double read, double write) {
  std::array<double, kResources> rates = load_.rates(read, write);
  if (memory_.in_flight.count > 0) {
    const double held = static_cast<double>(held_) / static_cast<double>(memory_.in_flight.count);
    rates[static_cast<std::size_t>(Resource::kL2Read)] += held * static_cast<double>(memory_.l2_read.count);
  }
  if (rates == reserved_) return;
  reserved_ = rates;
  owner_.reserve(engine, rates);
}

}  // namespace a3sim
