#include "sim/diagnosis/jobs/job.h"

#include <algorithm>

#include "sim/core/interrupts.h"
#include "sim/core/parallel.h"
#include "sim/experiment/run/run_experiment.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kStepsAhead = 4;  // steps per thread that are simulated ahead

// Launches kernels when the host does.
class LiveLaunches final : public KernelLaunches {
 public:
  LiveLaunches(std::vector<Host>& hosts, Duration since)
      : begins(hosts.size()), hosts_(hosts), since_(since) {}
  Time begin(RankId rank, std::uint32_t, Time asked) override {
    const Duration begun = hosts_[index(rank)].launch(since_ + asked.time_since_epoch()) - since_;
    begins[index(rank)].push_back(begun);
    return Time(begun);
  }
  KernelBegins begins;

 private:
  std::vector<Host>& hosts_;
  Duration since_;
};

// Returns the time from when a device is free until its first kernel can run.
Duration launch_of(const StepVariant& variant) {
  return first_launch(variant.experiment.program, variant.experiment.run.launch);
}

HostKind kind_of(HostAction action) {
  static_assert(static_cast<int>(HostKind::kCollect) == static_cast<int>(HostAction::kCollect));
  static_assert(static_cast<int>(HostKind::kLog) == static_cast<int>(HostAction::kLog));
  return static_cast<HostKind>(action);
}

}  // namespace

Job::Job(const JobSpec& spec, unsigned threads) : spec_(spec), threads_(threads) {
  for (std::uint32_t rank = 0; rank < spec.experiment.shape.ep; ++rank) all_.push_back(rank);
  variants_[{}] = std::make_unique<StepVariant>(make_variant(spec.experiment));
}

const StepVariant& Job::variant_of(const StepConditions& conditions) {
  std::unique_ptr<StepVariant>& variant = variants_[conditions.sets];
  if (variant) return *variant;
  std::vector<std::string> sets = spec_.sets;
  for (const auto& [key, value] : conditions.sets) sets.push_back(key + "=" + value);
  variant = std::make_unique<StepVariant>(make_variant(load_job(spec_.file, sets, {}).experiment));
  return *variant;
}

std::shared_ptr<const StepConditions> Job::conditions_of(std::uint32_t step) {
  auto& conditions = conditions_[step];
  if (conditions) return conditions;
  const std::uint32_t ranks = spec_.experiment.shape.ep;
  conditions =
      std::make_shared<StepConditions>(clean_ ? StepConditions(ranks, spec_.hosts.data)
                                              : spec_.injection.conditions(step, ranks, spec_.hosts.data));
  return conditions;
}

PassRun Job::pass_run(std::uint32_t step, std::size_t pass, std::span<const std::uint32_t> recorded) {
  const StepConditions& conditions = *conditions_of(step);
  PassRun run;
  run.variant = &variant_of(conditions);
  run.conditions = &conditions;
  if (!clean_) run.noise = spec_.injection.noise;
  run.step = step;
  run.pass = pass;
  run.starts.resize(spec_.experiment.shape.ep);
  if (pass > 0) return run;
  run.starts = conditions.late;
  if (clean_) return run;
  for (Duration& start : run.starts) start += spec_.hosts.record_light;
  for (const std::uint32_t rank : recorded) run.starts[rank] += spec_.hosts.record_full;
  return run;
}

void Job::start_hosts() {
  hosts_.clear();
  conditions_.clear();
  for (std::uint32_t rank = 0; rank < spec_.experiment.shape.ep; ++rank)
    hosts_.emplace_back(spec_.hosts,
                        [this, rank](std::uint32_t step) { return conditions_of(step)->hosts[rank]; });
  const DataOptions& data = spec_.hosts.data;
  ready_ = spec_.hosts.launch + data.read + data.process +
           data.fetch;  // the first launch that a device can request
}

void Job::foresee(std::uint32_t first, std::uint32_t count, bool record, std::vector<Foreseen>& foreseen) {
  foreseen.clear();
  for (std::uint32_t step = first; step < first + count; ++step) {
    for (std::size_t pass = 0; pass < spec_.names.passes.size(); ++pass)
      foreseen.push_back({pass_run(step, pass, record ? all_ : std::vector<std::uint32_t>()), {}, {}, false});
  }
  in_parallel(foreseen.size(), threads_, [&](std::size_t i) {
    Foreseen& pass = foreseen[i];
    if (pass.run.conditions->links.depend_on_time()) return;
    UnheldLaunches launches(pass.run.starts.size());
    pass.ran = pass.run.run(&launches, record);
    pass.begins = std::move(launches.begins);
    pass.there = true;
  });
}

bool Job::launch_as_foreseen(const Foreseen& foreseen) {
  const std::vector<Host> before = hosts_;
  for (std::size_t rank = 0; rank < hosts_.size(); ++rank) {
    for (const Duration asked : foreseen.begins[rank]) {
      if (hosts_[rank].launch(ready_ + asked) == ready_ + asked) continue;
      hosts_ = before;
      return false;
    }
  }
  return true;
}

void Job::run_by_kernels(JobStep::Pass& pass, bool record, Foreseen* foreseen) {
  if (foreseen && foreseen->there && launch_as_foreseen(*foreseen)) {
    pass.begins = std::move(foreseen->begins);
    pass.ran = std::move(foreseen->ran);
    return;
  }
  LiveLaunches launches(hosts_, ready_);
  pass.ran = pass.run.run(&launches, record);
  pass.begins = std::move(launches.begins);
}

void Job::run_whole(JobStep::Pass& pass, bool record, Foreseen* foreseen) {
  for (std::size_t rank = 0; rank < hosts_.size(); ++rank) {
    Duration& start = pass.run.starts[rank];
    start = hosts_[rank].launch(ready_ + start) - ready_;
  }
  const bool known = foreseen && foreseen->there && foreseen->run.starts == pass.run.starts;
  pass.ran = known ? std::move(foreseen->ran) : pass.run.run(nullptr, record);
}

void Job::add_light(JobStep& step, std::size_t number, const std::vector<Duration>& late) const {
  const JobStep::Pass& pass = step.passes[number];
  for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank) {
    LightRecord record = pass.ran.light[rank];
    record.start = ready_ + pass.run.starts[rank];
    if (pass.run.variant->by_kernels && !pass.begins[rank].empty())
      record.start = ready_ + pass.begins[rank].front() - launch_of(*pass.run.variant);
    record.arrival += ready_;
    record.release = pass.release;
    record.step = step.number;
    record.rank = rank;
    record.late = static_cast<float>(microseconds(hosts_[rank].late() - late[rank]));
    record.pass = static_cast<std::uint16_t>(number);
    record.fill = hosts_[rank].fill();
    step.light[rank * step.passes.size() + number] = record;
  }
}

void Job::run_pass_of(JobStep& step, std::size_t number, bool record, std::span<const std::uint32_t> recorded,
                      Foreseen* foreseen) {
  JobStep::Pass& pass = step.passes[number];
  pass.run = pass_run(step.number, number, recorded);
  pass.run.since = ready_;
  std::vector<Duration> late;
  for (const Host& host : hosts_) late.push_back(host.late());
  pass.run.variant->by_kernels ? run_by_kernels(pass, record, foreseen) : run_whole(pass, record, foreseen);
  pass.release = ready_ + pass.ran.makespan;
  add_light(step, number, late);
  ready_ = pass.release;
}

JobStep Job::run_step(std::uint32_t number, bool record, std::span<const std::uint32_t> recorded,
                      Foreseen* foreseen) {
  JobStep step;
  step.number = number;
  step.conditions = conditions_of(number);
  step.passes.resize(spec_.names.passes.size());
  step.light.resize(step.passes.size() * hosts_.size());
  for (Host& host : hosts_) host.begin_step(number);
  for (std::size_t pass = 0; pass < step.passes.size(); ++pass)
    run_pass_of(step, pass, record, recorded, foreseen ? foreseen + pass : nullptr);
  for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank)
    for (const HostDone& done : hosts_[rank].done())
      step.host.push_back({number, rank, kind_of(done.action), done.start, done.end, 1});
  return step;
}

void Job::run(std::uint32_t count, bool record, const Take& take, const Recorded& recorded) {
  clean_ = false;
  start_hosts();
  std::vector<Foreseen> foreseen;
  const std::size_t passes = spec_.names.passes.size();
  const std::uint32_t batch = record ? threads_ : threads_ * kStepsAhead;
  for (std::uint32_t first = 0; first < count; first += batch) {
    const std::uint32_t steps = std::min(batch, count - first);
    // One thread gains nothing by simulating ahead, and would simulate steps again whose hosts are late.
    if (threads_ > 1) foresee(first, steps, record, foreseen);
    for (std::uint32_t i = 0; i < steps; ++i) {
      Interrupts::throw_if_any();
      std::span<const std::uint32_t> ranks;
      if (record)
        ranks = all_;
      else if (recorded)
        ranks = recorded(first + i);
      Foreseen* ahead = foreseen.empty() ? nullptr : &foreseen[i * passes];
      take(run_step(first + i, record || !ranks.empty(), ranks, ahead));
      conditions_.erase(first + i);
    }
  }
}

JobStep Job::reference() {
  clean_ = true;
  start_hosts();
  return run_step(0, true, {}, nullptr);
}

void record_tasks(JobStep& step) {
  for (JobStep::Pass& pass : step.passes) {
    if (pass.ran.work) continue;
    RepeatedLaunches launches(pass.begins);
    pass.ran = pass.run.run(&launches, true);
  }
}

}  // namespace a3sim
