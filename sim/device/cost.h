#pragma once

#include <array>
#include <span>

#include "models/operators/work.h"
#include "sim/device/hardware.h"
#include "sim/device/portions.h"
#include "sim/device/program.h"
#include "sim/memory/memory.h"

namespace a3sim {

// The L2's answers to a portion's accesses.
struct PortionTraffic {
  // By access: bytes that the core waits for, because they come from HBM, for this core or for another one
  // that is fetching them.
  std::array<double, TaskPortion::kMostAccesses> slow{};
  double hbm = 0;  // bytes of reads that take the HBM as long as all that is read and written back
};

// A portion's job, and the part of its ideal time in which it waits for lines missing in the L2.
struct PortionJob {
  MemoryJob memory;
  Duration missing{};
};

// Computes the cost of a portion on one worker that has the device to itself, given what the L2 held: the
// ideal time, and the bytes moved in that time.
//
// Matrix portions: loads to L1, loads to L0 and the cube form a pipeline. Its stages are step_k base blocks
// of K, each with one or two buffers. The result then leaves L0C; the next block waits for that if L0C has
// one buffer. Vector portions: loads, arithmetic and stores overlap.
class CostModel {
 public:
  // Hardware and program must outlive the model.
  CostModel(const Hardware& hardware, const Program& program)
      : hardware_(hardware), program_(program), matrix_workers_(hardware.workers.count(CoreUnit::kMatrix)) {}

  // The part of the last cube portion's cost that does not depend on the L2. It is reused, since a task's
  // portions come in runs of one shape.
  class LastCube;
  // Returns a portion's job. `last` belongs to the portions of one task; make a new one for each task.
  PortionJob job(const Work& work, const TaskPortion& portion, const PortionTraffic& traffic,
                 LastCube& last) const;
  PortionJob job(const Work& work, const TaskPortion& portion, const PortionTraffic& traffic) const;

  // Returns the time of cube work, vector work or a local copy, alone and with everything in the L2: a lower
  // bound. 0 for kNothing.
  Duration least(const Work& work) const;

  // Returns the time of the arithmetic alone on one worker. It is part of every ideal time and serves lower
  // bounds.
  Duration arithmetic(const Work& work) const;
  // The arithmetic of a cube task, summed portion by portion, and its multiply-accumulates.
  struct CubeTotal {
    std::int64_t cycles = 0;
    std::uint64_t macs = 0;
  };
  void add(const Work& work, const TaskPortion& portion, CubeTotal& total) const;
  Duration arithmetic(const CubeTotal& total) const;

  // Returns the factor on the rate of an access: below 1 if its rows do not begin at lines. Also holds for
  // loads from HBM.
  double part_of_rate(const TaskPortion& portion, const TensorAccess& access) const;

  const Hardware& hardware() const { return hardware_; }
  const Program& program() const { return program_; }

 private:
  struct Cycles {
    double all, hits;  // in fact, and if everything were in the L2
  };
  void begin_shape(const Work& work, const TaskPortion& portion, LastCube& last) const;
  Cycles cube(const Work& work, const TaskPortion& portion, const PortionTraffic& traffic,
              LastCube& last) const;
  Cycles vector(const Work& work, const TaskPortion& portion, const PortionTraffic& traffic) const;
  double serial_cycles(const VectorOps& ops) const;
  static double vector_arithmetic(const Hardware::Vector& vector, double simple, double convert,
                                  double transcendental);
  Duration time(double cycles) const;
  std::uint32_t macs_per_cycle(const Work& work) const;

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
  // Cycles of all loads to L1 that hit, of the cube, of moving the result out, before the first portion; and
  // of all together.
  double loads_ = 0, compute_ = 0, drain_ = 0, start_ = 0, hits_ = 0;
  std::array<double, 2> miss_{};  // extra cycles for a byte of A, and of B, from HBM
};

// Returns the cycles of a block. Its `stages` are loaded to L1 in `load` cycles each; the cube follows, with
// `compute` cycles per stage; the result leaves L0C in `drain` cycles. `first`: nothing was loaded before;
// otherwise loads went on while the previous block finished.
double block_cycles(double stages, double load, double compute, double drain, const Tiling& tiling,
                    bool drain_overlaps, bool first);

}  // namespace a3sim
