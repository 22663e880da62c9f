#pragma once

#include <array>
#include <span>

#include "models/operators/work.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "sim/device/steps.h"
#include "sim/memory/memory.h"

namespace a3sim {

// What the L2 said to a step's accesses.
struct StepTraffic {
  // By access: bytes that the core has to wait for, because they come from HBM, for it or for another core
  // that is fetching them.
  std::array<double, Step::kMostAccesses> slow{};
  double hbm = 0;  // bytes of reads that take the HBM as long as what was read, and written back, does
};

// A step's job, and what of its ideal time is waiting for lines that the L2 did not have.
struct StepJob {
  MemoryJob memory;
  Duration missing{};
};

// Turns steps into what they cost alone on one worker of the device, given what the L2 held: their ideal time
// and the bytes that they move meanwhile.
//
// Matrix steps: loads to L1, loads to L0 and the cube are a pipeline of stages of step_k base blocks of K,
// each with one or two buffers; the result then leaves L0C, which the next block waits for if it has one
// buffer. Vector steps: loads, arithmetic and stores side by side.
class CostModel {
 public:
  // Hardware and program must outlive the model.
  CostModel(const Hardware& hardware, const Program& program)
      : hardware_(hardware), program_(program), matrix_workers_(hardware.workers.count(CoreUnit::kMatrix)) {}

  // What of the last cube step's cost was the same whatever the L2 held: a task's steps come in runs of one
  // shape.
  class LastCube;
  // `last`: of the steps of one task; a new one for each.
  StepJob job(const Work& work, const Step& step, const StepTraffic& traffic, LastCube& last) const;
  StepJob job(const Work& work, const Step& step, const StepTraffic& traffic) const;

  // Cube and vector work and local copies, alone, with everything in the L2: a lower bound. kNothing: 0.
  Duration least(const Work& work) const;

  // What only the arithmetic takes, on one worker: a part of every ideal time. For lower bounds.
  Duration arithmetic(const Work& work) const;
  // The same of a cube task whose steps were added one by one; and its multiply-accumulates.
  struct CubeTotal {
    std::int64_t cycles = 0;
    std::uint64_t macs = 0;
  };
  void add(const Work& work, const Step& step, CubeTotal& total) const;
  Duration arithmetic(const CubeTotal& total) const;

  // The part of its rate at which an access comes whose rows do not begin at a line: also out of the HBM.
  double part_of_rate(const Step& step, const StepAccess& access) const;

  const Hardware& hardware() const { return hardware_; }
  const Program& program() const { return program_; }

 private:
  struct Cycles {
    double all, hits;  // as it is, and if everything were in the L2
  };
  void begin_shape(const Work& work, const Step& step, LastCube& last) const;
  Cycles cube(const Work& work, const Step& step, const StepTraffic& traffic, LastCube& last) const;
  Cycles vector(const Work& work, const Step& step, const StepTraffic& traffic) const;
  double serial_cycles(const VectorOps& ops) const;
  double vector_arithmetic(double simple, double convert, double transcendental) const;
  Duration time(double cycles) const;
  std::uint32_t macs_per_cycle(DataType type) const;

  const Hardware& hardware_;
  const Program& program_;
  std::uint32_t matrix_workers_;
};

class CostModel::LastCube {
 private:
  friend class CostModel;
  struct Shape {
    std::uint32_t rows = 0, cols = 0, k = 0, readers_a = 0, readers_b = 0;
    bool first = false, finishes_block = false;
    friend bool operator==(const Shape&, const Shape&) = default;
  };

  Shape shape_;
  double stages_ = 0;
  // Cycles of all loads to L1 that hit, of the cube, of the result, before the first step; and of all
  // together.
  double loads_ = 0, compute_ = 0, drain_ = 0, start_ = 0, hits_ = 0;
  std::array<double, 2> miss_{};  // what a byte of A, and of B, takes longer from HBM
};

// Cycles of a block that is loaded to L1 in `stages` that take `load` cycles each, while the cube, busy for
// `compute` cycles a stage, follows, and whose result leaves L0C in `drain` cycles. `first`: nothing was
// loaded before; otherwise the block before it left the loads free to go on.
double block_cycles(double stages, double load, double compute, double drain, const Tiling& tiling,
                    bool drain_overlaps, bool first);

}  // namespace a3sim
