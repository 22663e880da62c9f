#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "traces/observation.h"

namespace a3sim {

inline constexpr std::int64_t kMsOfMade = 1'000'000'000;  // ps
inline Duration made_ms(double ms) { return Duration(std::llround(ms * static_cast<double>(kMsOfMade))); }

// A job made by hand. Its light records follow from each rank's own time in each step, before it waits for
// the others, so that the slow parts are known in closed form.
class MadeObservation final : public Observation {
 public:
  struct Own {
    double delay = 0, work = 10;  // ms until its first work, ms of this work
    double aic = 8, aiv = 3, transfer = 4;
    std::uint32_t rows = 100;
    std::array<std::uint8_t, 3> fill{100, 100, 100};
  };
  using Step = std::function<Own(std::uint32_t step, std::uint32_t rank)>;

  MadeObservation(std::uint32_t ranks, std::uint32_t steps, const Step& own) {
    job_.ranks = ranks;
    job_.names = {"A", "B", "C"};
    job_.passes = {"forward"};
    job_.nodes.resize(ranks);
    ObservedMachine& machine = allowed();
    machine.aic = machine.aiv = 1;
    machine.cube_rate = machine.vector_rate = 1e15;
    machine.hbm_read = 1e12;
    machine.planes.push_back({"hccs", 100e9, 100e9, made_ms(0), 1});
    Duration begin = made_ms(1);
    for (std::uint32_t s = 0; s < steps; ++s) records_.push_back(make(s, begin, own));
    Duration zero = made_ms(1);
    reference_ = make(0, zero, [](std::uint32_t, std::uint32_t) { return Own(); });
  }

  void each_step(const Observation::Step& take) const override {
    for (std::uint32_t s = 0; s < records_.size(); ++s) take(s, records_[s]);
  }
  std::vector<LightRecord> reference() const override {
    return has_reference ? reference_ : std::vector<LightRecord>();
  }
  FullStep reference_full() const override { return usual; }
  std::vector<std::uint32_t> full_steps() const override {
    std::vector<std::uint32_t> steps;
    for (const FullStep& step : full_records) steps.push_back(step.step);
    return steps;
  }
  FullStep full(std::uint32_t step) const override {
    return *std::ranges::find(full_records, step, &FullStep::step);
  }
  std::vector<PathPart> critical_path(std::uint32_t) const override { return path; }
  RecordPlace place_of(const LightRecord&) const override { return "light"; }
  RecordPlace place_of(const OperatorRecord&) const override { return "operator"; }
  RecordPlace place_of(const TransferRecord&) const override { return "transfer"; }
  RecordPlace place_of(const HostRecord&) const override { return "host"; }

  // Returns what the machine allows, to be changed.
  ObservedMachine& allowed() { return job_.machine; }

  bool has_reference = true;
  FullStep usual;
  std::vector<PathPart> path;  // of each step; empty: unknown
  std::vector<FullStep> full_records;

  // Returns an operator that ran from 0 on, with `arithmetic` ms of arithmetic.
  static OperatorRecord op(std::uint32_t step, std::uint32_t rank, std::uint32_t name, double run,
                           double arithmetic) {
    OperatorRecord record;
    record.step = step;
    record.rank = rank;
    record.op = name;
    record.core = CoreKind::kCube;
    record.end = record.run = made_ms(run);
    record.arithmetic = made_ms(arithmetic);
    record.operations = 1e9;
    record.hbm_bytes = 1e6;
    record.clock = 1;
    return record;
  }
  static TransferRecord put(std::uint32_t step, std::uint32_t src, std::uint32_t dst, double start,
                            double length, double bytes = 1e6) {
    TransferRecord record;
    record.step = step;
    record.src = src;
    record.dst = dst;
    record.start = made_ms(start);
    record.end = made_ms(start + length);
    record.bytes = bytes;
    return record;
  }
  static HostRecord event(std::uint32_t step, std::uint32_t rank, HostKind kind, double length) {
    HostRecord record;
    record.step = step;
    record.rank = rank;
    record.kind = kind;
    record.end = made_ms(length);
    return record;
  }

 private:
  std::vector<LightRecord> make(std::uint32_t step, Duration& begin, const Step& own) const {
    std::vector<LightRecord> records;
    Duration release{};
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      const Own of = own(step, r);
      LightRecord record;
      record.step = step;
      record.rank = r;
      record.start = begin + made_ms(of.delay);
      record.arrival = record.start + made_ms(of.work);
      record.aic_busy = static_cast<float>(1e3 * of.aic);
      record.aiv_busy = static_cast<float>(1e3 * of.aiv);
      record.transfer = static_cast<float>(1e3 * of.transfer);
      record.late = static_cast<float>(1e3 * of.delay);
      record.rows = of.rows;
      record.fill = of.fill;
      records.push_back(record);
      release = std::max(release, record.arrival);
    }
    for (LightRecord& record : records) record.release = release;
    begin = release;
    return records;
  }

  std::vector<std::vector<LightRecord>> records_;
  std::vector<LightRecord> reference_;
};

}  // namespace a3sim
