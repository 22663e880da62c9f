#include "sim/experiment/step/step_accounts.h"

#include <algorithm>

#include "sim/experiment/step/class_sweep.h"

namespace a3sim {
namespace {

Duration since_start(Time time) { return time.time_since_epoch(); }

// Sorts the tasks of one stage's die by their meaning for its time.
class StageSurvey {
 public:
  StageSurvey(const StepProgram& written, const StreamResult& result) : written_(written), result_(result) {}

  // Adds a task of the die, or one whose data it receives.
  void add(std::uint32_t t) {
    const StepTask& step_task = written_.tasks[t];
    const StreamRecord& record = result_.records[t];
    const Duration from = since_start(record.start), to = since_start(record.end);
    if (step_task.kind == StepTask::Kind::kPp) {
      exchange(ExchangeFor::kPp, TimeClass::kPp, from, to);
      return;
    }
    switch (step_task.kind) {
      case StepTask::Kind::kCompute:
      case StepTask::Kind::kUpdate:
        compute(t, from, to);
        break;
      case StepTask::Kind::kEp:
        exchange(ExchangeFor::kEp, TimeClass::kEp, from, to);
        (step_task.paired ? paired_ : unpaired_).push_back({from, to, {}});
        break;
      case StepTask::Kind::kTp:
        exchange(ExchangeFor::kTp, TimeClass::kTp, from, to);
        break;
      case StepTask::Kind::kCp:
        exchange(ExchangeFor::kPp, TimeClass::kPp, from, to);
        break;
      case StepTask::Kind::kDp:
        exchange(ExchangeFor::kDp, TimeClass::kDp, from, to);
        break;
      case StepTask::Kind::kSwap:
        intervals_.push_back({from, to, TimeClass::kOptimizer});
        break;
      case StepTask::Kind::kHost:
        intervals_.push_back({from, to, TimeClass::kHost});
        break;
      case StepTask::Kind::kPp:
        break;
    }
  }

  StageAccount account() {
    gap(end_, result_.makespan, kNone);
    ClassTimes classes = swept(intervals_, result_.makespan);
    // Kernels were swept as the first class. They are divided among classes here.
    at(classes, TimeClass::kGrouped) = Duration::zero();
    StageAccount account;
    account.classes = classes;
    add(computed_, account.classes);
    account.experts = experts_ + at(classes, TimeClass::kEp);
    std::vector<ClassInterval> running = intervals_;
    std::erase_if(running, [](const ClassInterval& i) {
      return i.time_class == TimeClass::kBubble || i.time_class == TimeClass::kHost ||
             i.time_class == TimeClass::kRest;
    });
    // Between kernels of a task nothing runs either.
    account.active = result_.makespan - at(swept(running, result_.makespan), TimeClass::kRest) -
                     at(computed_, TimeClass::kRest);
    account.gaps = at(computed_, TimeClass::kRest);
    cover(account);
    // What is exposed is said once: as its class.
    constexpr TimeClass kClasses[] = {TimeClass::kEp, TimeClass::kTp, TimeClass::kDp, TimeClass::kPp};
    for (std::size_t what = 0; what < account.exchanges.size(); ++what) {
      ExchangeAccount& exchange = account.exchanges[what];
      const Duration alone = exchange.exposed;
      exchange.exposed = std::min(exchange.total, at(account.classes, kClasses[what]));
      exchange.beside = std::max(Duration::zero(), alone - exchange.exposed);
    }
    return account;
  }

 private:
  static void add(const ClassTimes& more, ClassTimes& times) { a3sim::add(more, times); }

  void compute(std::uint32_t t, Duration from, Duration to) {
    gap(end_, from, t);
    end_ = to;
    intervals_.push_back({from, to, TimeClass::kGrouped});
    const StepTask& task = written_.tasks[t];
    ClassTimes parts{};
    if (task.classes == kNone)
      at(parts, TimeClass::kOptimizer) = to - from;
    else
      parts = scaled(written_.classes[task.classes], to - from);
    kernels_.push_back({from, to, parts});
    add(parts, computed_);
    if (task.experts) experts_ += to - from;
    if (task.classes == kNone) return;
    inside_exposed_ += at(parts, TimeClass::kEp);
    inside_ += written_.exchanging[task.classes];
  }

  // Adds the reason why the die waits in a gap: launches, other stages, or neither.
  void gap(Duration from, Duration to, std::uint32_t next) {
    if (to <= from) return;
    TimeClass kind = written_.program.ranks > 1 ? TimeClass::kBubble : TimeClass::kRest;
    if (next != kNone) {
      const StepTask::Kind waited = waited_for(next, from);
      kind = waited == StepTask::Kind::kHost ? TimeClass::kHost
             : waited == StepTask::Kind::kPp ? TimeClass::kBubble
                                             : TimeClass::kRest;
    }
    intervals_.push_back({from, to, kind});
  }

  // Returns the first cause that a task waited for since the time, apart from exchanges of the die itself.
  StepTask::Kind waited_for(std::uint32_t task, Duration since) const {
    for (;;) {
      const Cause& cause = result_.records[task].cause;
      if (!cause.has_activity()) return StepTask::Kind::kCompute;
      task = cause.number;
      const StepTask::Kind kind = written_.tasks[task].kind;
      const bool exchange = kind == StepTask::Kind::kEp || kind == StepTask::Kind::kTp ||
                            kind == StepTask::Kind::kCp || kind == StepTask::Kind::kDp;
      if (!exchange || since_start(result_.records[task].start) <= since) return kind;
    }
  }

  void exchange(ExchangeFor what, TimeClass kind, Duration from, Duration to) {
    intervals_.push_back({from, to, kind});
    under_[static_cast<std::size_t>(what)].push_back({from, to, {}});
  }

  struct Kernel {
    Duration from{}, to{};
    ClassTimes parts{};
  };

  // Finds which kernels run during exchanges. Both lists are ordered by their starts.
  void cover(std::vector<Kernel>& exchanges, ExchangeAccount& account) const {
    std::ranges::sort(exchanges, {}, &Kernel::from);
    std::size_t first = 0;
    Duration hidden{}, total{};
    for (const Kernel& moved : exchanges) {
      total += moved.to - moved.from;
      while (first < kernels_.size() && kernels_[first].to <= moved.from) ++first;
      for (std::size_t k = first; k < kernels_.size() && kernels_[k].from < moved.to; ++k) {
        const Kernel& kernel = kernels_[k];
        const Duration both = std::min(kernel.to, moved.to) - std::max(kernel.from, moved.from);
        if (both <= Duration::zero()) continue;
        hidden += both;
        const ClassTimes parts = scaled(kernel.parts, both);
        for (std::size_t c = 0; c < account.hidden_by.size(); ++c) account.hidden_by[c] += parts[c];
      }
    }
    account.total = total;
    account.exposed = total - hidden;
  }

  void cover(StageAccount& account) {
    std::ranges::sort(kernels_, {}, &Kernel::from);
    for (std::size_t what = 0; what < under_.size(); ++what) cover(under_[what], account.exchanges[what]);
    cover(paired_, account.paired);
    cover(unpaired_, account.unpaired);
    // In a MoE-FFN that is simulated as a whole, its own kernels hide its exchanges.
    ExchangeAccount& ep = account.exchanges[static_cast<std::size_t>(ExchangeFor::kEp)];
    const Duration exposed = std::min(inside_exposed_, inside_);
    ep.total += inside_;
    ep.exposed += exposed;
    ep.hidden_by[0] += inside_ - exposed;
  }

  const StepProgram& written_;
  const StreamResult& result_;
  Duration end_{}, experts_{}, inside_{}, inside_exposed_{};
  ClassTimes computed_{};
  std::vector<ClassInterval> intervals_;
  std::vector<Kernel> kernels_;
  std::array<std::vector<Kernel>, kCountOf<ExchangeFor>> under_;
  std::vector<Kernel> paired_, unpaired_;
};

}  // namespace

std::vector<StageAccount> accounts_of(const StepProgram& written, const StreamResult& result) {
  std::vector<StageSurvey> surveys(written.program.ranks, StageSurvey(written, result));
  for (std::uint32_t t = 0; t < written.tasks.size(); ++t) {
    // The sender of a transfer to another stage does not wait for it; the receiver may.
    const StreamTask& task = written.program.tasks[t];
    const bool to_stage = written.tasks[t].kind == StepTask::Kind::kPp;
    surveys[index(to_stage ? task.transfers.front().dst : task.rank)].add(t);
  }
  std::vector<StageAccount> accounts;
  for (StageSurvey& survey : surveys) accounts.push_back(survey.account());
  return accounts;
}

}  // namespace a3sim
