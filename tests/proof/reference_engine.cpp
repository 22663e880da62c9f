#include "tests/proof/reference_engine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>

#include "tests/proof/reference_links.h"
#include "tests/proof/reference_shares.h"

namespace a3sim::reference {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
constexpr long double kEngineNoise = 1e-3L;   // picoseconds
constexpr long double kLeastOfTasks = 0.01L;  // of each resource, whatever puts take

std::int64_t ps(Duration d) { return d.count(); }
long double bytes_per_ps(BytesPerSecond rate) { return static_cast<long double>(rate.count) * 1e-12L; }

struct Kernel {
  std::set<std::uint32_t> ops;
  bool tiles = false, puts = false;
};

struct Worker {
  std::uint32_t task = kNone;
  std::size_t phase = 0;
  std::int64_t checked = 0;
  bool waits = false;
  // While a phase runs:
  bool busy = false;
  long double left = 0;  // picoseconds, alone
  MemoryUser memory{};
};

struct RankState {
  const Ssc* ssc = nullptr;
  std::vector<Task> tasks;
  std::vector<Worker> workers;
  std::vector<std::vector<std::uint32_t>>
      own;  // by worker: what it has been dealt and has not taken, first first
  std::vector<std::vector<std::uint32_t>> pool;  // by queue, shared: what nobody has taken
  std::vector<std::uint32_t> counts;             // by event
  std::vector<bool> handed, free;                // dynamic
  std::uint32_t servers = 0;
  std::uint32_t idle_servers = 0;  // that have not handed out anything
  bool launched = false;
  std::size_t kernel = 0;
  std::size_t left_of_kernel = 0;
};

class Simulation {
 public:
  explicit Simulation(const Setup& s)
      : s_(s),
        collectives_(s.options.transport == Transport::kCollective),
        dynamic_(s.options.execution == "dynamic"),
        links_(s.hardware, s.program, s.options, static_cast<std::uint32_t>(s.schedule.size())),
        ranks_(s.schedule.size()) {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) set_up(r);
    if (!dynamic_ && (collectives_ || by_kernels())) cut_into_kernels();
  }

  Outcome run() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const Duration start = s_.options.rank(RankId{r}).start, launch = s_.program.launch.alone;
      at(ps(start) + ps(launch), [this, r] { launch_rank(r); });
    }
    for (std::int64_t next = next_time(); next != kForever; next = next_time()) {
      advance(next);
      while (happen()) {
      }
      share();
    }
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (const std::int64_t end : out_.end[r]) {
        if (end < 0) throw std::logic_error("the reference has come to rest, and tasks are left");
      }
    }
    return out_;
  }

 private:
  void at(std::int64_t time, std::function<void()> what) { agenda_.emplace(time, std::move(what)); }
  bool by_kernels() const { return s_.options.execution == "kernel"; }
  const TaskDescriptor& td(std::uint32_t r, std::uint32_t task) const { return ranks_[r].ssc->tasks()[task]; }
  // The number of a queue's first worker.
  std::uint32_t first_of(std::uint32_t r, std::uint32_t queue) const {
    std::uint32_t first = 0;
    while (queue > 0) first += ranks_[r].ssc->workers(--queue);
    return first;
  }
  std::uint32_t queue_of(std::uint32_t r, std::uint32_t w) const {
    std::uint32_t queue = 0;
    while (w >= first_of(r, queue + 1)) ++queue;
    return queue;
  }

  void set_up(std::uint32_t r) {
    RankState& rank = ranks_[r];
    rank.ssc = &s_.schedule[r];
    Hardware own = s_.hardware;
    own.clock.count = std::llround(static_cast<double>(own.clock.count) * s_.options.rank(RankId{r}).clock);
    Program program = s_.program;
    if (by_kernels()) program.tasks.cube_task_start = {};  // the host has prepared them
    rank.tasks = tasks_of({s_.schedule, s_.capacity, s_.counts, own, program, s_.l2}, r);
    rank.workers.resize(first_of(r, rank.ssc->queues()));
    rank.pool.resize(rank.ssc->queues());
    rank.own.resize(rank.workers.size());
    rank.counts.assign(rank.ssc->events().size(), 0);
    rank.handed.assign(rank.tasks.size(), false);
    rank.free.assign(rank.workers.size(), true);
    rank.servers = rank.idle_servers = s_.options.dispatch_servers;
    out_.start.emplace_back(rank.tasks.size(), -1);
    out_.end.emplace_back(rank.tasks.size(), -1);
  }

  // The workers of a task's set, numbered over all queues.
  std::pair<std::uint32_t, std::uint32_t> set_of(std::uint32_t r, std::uint32_t task) const {
    const WorkerSet& set = ranks_[r].ssc->worker_sets()[td(r, task).worker_set];
    const std::uint32_t first = set.first + first_of(r, set.queue_type);
    return {first, first + set.count};
  }

  // ---- times

  std::int64_t next_time() const {
    std::int64_t next = agenda_.empty() ? kForever : agenda_.begin()->first;
    for (const RankState& rank : ranks_) {
      for (const Worker& w : rank.workers) {
        if (w.busy) next = std::min(next, end_of(w));
      }
    }
    return std::min(next, links_.next_end());
  }
  std::int64_t end_of(const Worker& w) const {
    return now_ + std::max<std::int64_t>(0, std::llrint(std::ceil(w.left / w.memory.speed - kEngineNoise)));
  }

  void advance(std::int64_t time) {
    for (RankState& rank : ranks_) {
      for (Worker& w : rank.workers) {
        if (w.busy) w.left -= w.memory.speed * static_cast<long double>(time - now_);
      }
    }
    now_ = time;
    for (const auto& [r, worker] : links_.advance(time))
      at(now_, [this, r = r, worker = worker] { put_has_left(r, worker); });
  }

  // Everything that is due now; whether anything was.
  bool happen() {
    bool any = false;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (std::uint32_t w = 0; w < ranks_[r].workers.size(); ++w) {
        Worker& worker = ranks_[r].workers[w];
        if (!worker.busy || worker.left > kEngineNoise * 2) continue;
        worker.busy = false;
        ++worker.phase;
        any = true;
        next_phase(r, w);
      }
    }
    while (!agenda_.empty() && agenda_.begin()->first == now_) {
      const std::function<void()> what = agenda_.begin()->second;
      agenda_.erase(agenda_.begin());
      what();
      any = true;
    }
    if (dynamic_ && !any) {
      for (std::uint32_t r = 0; r < ranks_.size(); ++r) any |= serve(r);
    }
    return any;
  }

  // ---- tasks

  void run_task(std::uint32_t r, std::uint32_t w) {
    Worker& worker = ranks_[r].workers[w];
    out_.start[r][worker.task] = now_;
    worker.phase = 0;
    const Task& task = ranks_[r].tasks[worker.task];
    if (!task.put) return next_phase(r, w);
    if (task.bytes == 0) return put_has_left(r, w);
    const std::int64_t startup = collectives_ ? 0 : ps(s_.hardware.fabric.put_startup);
    at(now_ + startup, [this, r, w, &task] { links_.start(r, w, task); });
  }

  void put_has_left(std::uint32_t r, std::uint32_t w) {
    const std::uint32_t task = ranks_[r].workers[w].task;
    const std::int64_t seen = now_ + ps(links_.latency(r, ranks_[r].tasks[task].dst));
    out_.makespan = std::max(out_.makespan, seen);
    trigger(r, task, seen);
    at(now_ + (collectives_ ? 0 : ps(s_.hardware.fabric.put_fence)), [this, r, w] { free_worker(r, w); });
  }

  void next_phase(std::uint32_t r, std::uint32_t w) {
    Worker& worker = ranks_[r].workers[w];
    const std::vector<Phase>& phases = ranks_[r].tasks[worker.task].phases;
    if (worker.phase == phases.size()) {
      trigger(r, worker.task, now_ + ps(s_.program.signals.local_visibility));
      return free_worker(r, w);
    }
    const Phase& phase = phases[worker.phase];
    const auto alone = static_cast<long double>(phase.alone);
    const long double l2 = phase.l2_read + phase.l2_write;
    worker.busy = true;
    worker.left = alone;
    worker.memory = {{phase.l2_read / alone, phase.l2_write / alone, phase.hbm / alone},
                     (l2 > 0 ? l2 : phase.hbm) / alone};
  }

  void trigger(std::uint32_t r, std::uint32_t task, std::int64_t seen) {
    const std::uint32_t rank = td(r, task).trigger_rank, event = td(r, task).trigger_event;
    at(seen, [this, rank, event] {
      if (++ranks_[rank].counts[event] == ranks_[rank].ssc->events()[event].threshold) complete(rank, event);
    });
  }

  void free_worker(std::uint32_t r, std::uint32_t w) {
    RankState& rank = ranks_[r];
    out_.end[r][rank.workers[w].task] = now_;
    out_.makespan = std::max(out_.makespan, now_);
    rank.free[w] = true;
    if (dynamic_) return;
    const std::size_t kernel = rank.kernel;
    take(r, w);
    if (!kernels_.empty() && kernel == rank.kernel && --rank.left_of_kernel == 0) end_kernel(r);
  }

  // ---- static

  bool complete_now(std::uint32_t r, std::uint32_t task) const {
    const std::uint32_t event = td(r, task).dependent_event;
    return event == kNone || ranks_[r].counts[event] >= ranks_[r].ssc->events()[event].threshold;
  }

  void take(std::uint32_t r, std::uint32_t w) {
    RankState& rank = ranks_[r];
    std::vector<std::uint32_t>& own = rank.own[w];
    std::vector<std::uint32_t>& pool = rank.pool[queue_of(r, w)];
    const auto mine = std::ranges::find_if(pool, [&](std::uint32_t task) {
      const auto [first, end] = set_of(r, task);
      return w >= first && w < end;
    });
    std::uint32_t task = kNone;
    if (!own.empty()) {
      task = own.front();
      own.erase(own.begin());
    } else if (mine != pool.end()) {
      task = *mine;
      pool.erase(mine);
    }
    if (task == kNone) return;
    Worker& worker = rank.workers[w];
    worker.task = task;
    rank.free[w] = false;
    if (!kernels_.empty() && !kernels_[rank.kernel].tiles) return run_task(r, w);
    worker.checked = now_ + ps(s_.program.tasks.static_task);
    worker.waits = !complete_now(r, task);
    if (!worker.waits) at(worker.checked, [this, r, w] { run_task(r, w); });
  }

  void complete(std::uint32_t r, std::uint32_t event) {
    if (dynamic_) return;
    for (std::uint32_t w = 0; w < ranks_[r].workers.size(); ++w) {
      Worker& worker = ranks_[r].workers[w];
      if (!worker.waits || td(r, worker.task).dependent_event != event) continue;
      worker.waits = false;
      const std::int64_t poll = ps(s_.options.poll_of(queue_of(r, w)));
      std::int64_t look = worker.checked;
      if (poll == 0)
        look = std::max(look, now_);
      else if (look < now_)
        look += (now_ - look + poll - 1) / poll * poll;
      at(look, [this, r, w] { run_task(r, w); });
    }
  }

  void launch_rank(std::uint32_t r) {
    ranks_[r].launched = true;
    if (dynamic_) return;
    if (!kernels_.empty()) return start_kernel(r);
    deal_tiles(r, [](std::uint32_t) { return true; });
    for (std::uint32_t w = 0; w < ranks_[r].workers.size(); ++w) take(r, w);
  }

  // The tasks of some operators, to their workers.
  template <class Of>
  void deal_tiles(std::uint32_t r, Of of) {
    RankState& rank = ranks_[r];
    std::map<std::uint32_t, std::uint32_t> dealt;  // by worker set
    for (std::uint32_t queue = 0; queue < rank.ssc->queues(); ++queue) {
      for (const std::uint32_t task : rank.ssc->queue(queue)) {
        if (!of(td(r, task).op)) continue;
        ++rank.left_of_kernel;
        if (rank.ssc->assignment() == Assignment::kShared) {
          rank.pool[queue].push_back(task);
          continue;
        }
        const auto [first, end] = set_of(r, task);
        rank.own[first + dealt[td(r, task).worker_set]++ % (end - first)].push_back(task);
      }
    }
  }

  // ---- dynamic

  // Whether it has handed out anything.
  bool serve(std::uint32_t r) {
    bool any = false;
    RankState& rank = ranks_[r];
    while (rank.launched && rank.servers > 0) {
      std::pair<std::size_t, std::uint32_t> best{rank.tasks.size(), kNone};  // place in its queue, task
      std::uint32_t to = kNone;
      for (std::uint32_t queue = 0; queue < rank.ssc->queues(); ++queue) {
        const auto tasks = rank.ssc->queue(queue);
        for (std::size_t place = 0; place < tasks.size() && place <= best.first; ++place) {
          const std::uint32_t task = tasks[place];
          if (rank.handed[task] || !complete_now(r, task) || std::pair(place, task) > best) continue;
          const auto [first, end] = set_of(r, task);
          std::uint32_t w = first;
          while (w < end && !rank.free[w]) ++w;
          if (w == end) continue;
          best = {place, task};
          to = w;
        }
      }
      if (to == kNone) break;
      any = true;
      --rank.servers;
      rank.free[to] = false;
      rank.handed[best.second] = true;
      rank.workers[to].task = best.second;
      Duration hand_out = s_.program.tasks.scheduled();
      if (rank.idle_servers > 0) {
        --rank.idle_servers;
        hand_out += s_.program.tasks.dynamic_start;
      }
      at(now_ + ps(hand_out), [this, r, to] {
        ++ranks_[r].servers;
        run_task(r, to);
      });
    }
    return any;
  }

  // ---- kernel by kernel

  void cut_into_kernels() {
    const auto operators = s_.schedule.front().operators();
    std::uint32_t stages = 0;
    for (const OperatorInfo& op : operators) stages = std::max(stages, op.stage);
    for (std::uint32_t stage = 0; stage <= stages; ++stage) {
      for (std::uint32_t op = 0; op < operators.size(); ++op) {
        if (operators[op].stage != stage) continue;
        const bool puts = operators[op].type == "Dispatch" || operators[op].type == "Combine";
        const bool tiles = !by_kernels() && !puts;
        if (!tiles || kernels_.empty() || !kernels_.back().tiles) kernels_.push_back({{}, tiles, puts});
        kernels_.back().ops.insert(op);
      }
    }
  }

  bool meets(const Kernel& kernel) const { return kernel.puts && ranks_.size() > 1; }

  // All ranks have come: so much later each goes on.
  void meet(std::int64_t later, void (Simulation::*then)(std::uint32_t)) {
    if (++arrived_ < ranks_.size()) return;
    arrived_ = 0;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) at(now_ + later, [this, r, then] { (this->*then)(r); });
  }

  void start_kernel(std::uint32_t r) {
    if (ranks_[r].kernel == kernels_.size()) return;
    if (!collectives_ || !meets(kernels_[ranks_[r].kernel])) return deal(r);
    const Program::Collective& c = s_.program.collective;
    meet(ps(c.fixed) + ps(c.per_peer) * (static_cast<std::int64_t>(ranks_.size()) - 1), &Simulation::deal);
  }

  void deal(std::uint32_t r) {
    RankState& rank = ranks_[r];
    const Kernel& kernel = kernels_[rank.kernel];
    rank.left_of_kernel = 0;
    const auto group = static_cast<std::uint32_t>(ranks_.size());
    if (kernel.tiles) {
      deal_tiles(r, [&](std::uint32_t op) { return kernel.ops.contains(op); });
    } else {
      for (std::uint32_t queue = 0; queue < rank.ssc->queues(); ++queue) {
        for (const std::uint32_t task : rank.ssc->queue(queue)) {
          if (!kernel.ops.contains(td(r, task).op)) continue;
          const auto i = static_cast<std::uint32_t>(rank.left_of_kernel++);
          const std::uint32_t dst = td(r, task).dst;
          const std::uint32_t workers = rank.ssc->workers(queue);
          std::uint32_t w = i % workers;
          if (kernel.puts && collectives_) {
            // Those behind it first; what stays is for the workers that are left, if any are.
            w = (dst >= r ? dst - r : dst + group - r) % workers;
            if (dst == r && workers > group) w = group + i % (workers - group);
          }
          rank.own[first_of(r, queue) + w].push_back(task);
        }
      }
    }
    if (rank.left_of_kernel == 0) return end_kernel(r);
    for (std::uint32_t w = 0; w < rank.workers.size(); ++w) take(r, w);
  }

  void end_kernel(std::uint32_t r) {
    const bool met = meets(kernels_[ranks_[r].kernel++]), last = ranks_[r].kernel == kernels_.size();
    const std::int64_t gap = last ? 0 : ps(s_.program.launch.queued);
    if (met) return meet(ps(links_.farthest()) + gap, &Simulation::start_kernel);
    if (!last) at(now_ + gap, [this, r] { start_kernel(r); });
  }

  // ---- shares

  void share() {
    links_.share(s_.hardware.memory);
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const Hardware::MemorySystem& memory = s_.hardware.memory;
      const std::array<long double, 3> capacity{bytes_per_ps(memory.l2_read), bytes_per_ps(memory.l2_write),
                                                bytes_per_ps(memory.hbm_read)};
      const std::array<long double, 3> ports = links_.takes(r);
      std::array<long double, 3> free{};
      for (std::size_t i = 0; i < free.size(); ++i)
        free[i] = capacity[i] * std::max(kLeastOfTasks, 1 - ports[i] / capacity[i]);
      std::vector<MemoryUser*> users;
      for (Worker& w : ranks_[r].workers) {
        if (w.busy) users.push_back(&w.memory);
      }
      share_memory(users, free);
    }
  }

  const Setup& s_;
  bool collectives_, dynamic_;
  Links links_;
  std::vector<RankState> ranks_;
  std::vector<Kernel> kernels_;
  std::size_t arrived_ = 0;
  std::int64_t now_ = 0;
  std::multimap<std::int64_t, std::function<void()>> agenda_;
  Outcome out_;
};

}  // namespace

Outcome simulate(const Setup& setup) { return Simulation(setup).run(); }

}  // namespace a3sim::reference
