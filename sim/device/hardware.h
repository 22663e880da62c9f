#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/worker_kinds.h"
#include "sim/core/config/config.h"
#include "sim/core/ids.h"
#include "sim/core/units.h"

namespace a3sim {

// The modelled device and its links, in the units of its data sheets; values and sources: configs/hardware/. What code on it
// costs beside them belongs to a Program.
struct Hardware {
  std::string name;
  std::string stack;  // the software that runs on it; empty: any

  // Each unit has one kind; one kind may have both, as an SM has.
  WorkerKinds workers;
  Hertz clock;

  struct Cube {
    std::uint32_t macs_per_cycle_16 = 0;  // bf16 and fp16
    std::uint32_t macs_per_cycle_32 = 0;
    std::uint32_t macs_per_cycle_8 = 0;
    double mad_head_cycles = 0;           // a mad instruction's start-up
    double l1_to_l0a = 0, l1_to_l0b = 0;  // bytes a cycle
    double gm_to_l1 = 0;                  // bytes a cycle and core, from the L2
    double gm_to_l1_miss = 0;             // the same while the L2 has to fetch them
    double l0c_to_gm = 0;                 // bytes a cycle and core
    double unaligned = 1;                 // part of gm_to_l1 where rows do not begin at a line
    double rows_128 = 1, rows_256 = 1;    // part of gm_to_l1 where rows of so many bytes are loaded
    double load_issue_cycles = 0;         // of a load to L1, beside its bytes
    Bytes l1{}, l0a{}, l0b{}, l0c{};
    std::uint32_t least_rows = 16;  // of a product: fewer take as long
    double speed = 1;               // of its products, times what they are a cycle: what power leaves of it
    double sustained = 1;           // the same while products follow one another for long
  } cube;

  struct Vector {
    double simple_fp32 = 0;             // elements a cycle
    double convert = 0;                 // elements a cycle
    double transcendental = 0;          // elements a cycle
    double startup_cycles = 0;          // head and tail of a task's pipeline
    double gm_to_ub = 0, ub_to_gm = 0;  // bytes a cycle and core, from and to the L2
    double gm_to_ub_miss = 0;           // the same while the L2 has to fetch them
    double unaligned = 1;               // part of gm_to_ub where rows do not begin at a line
    Bytes ub{};
  } vector;

  struct MemorySystem {
    Bytes l2_size;
    std::uint32_t l2_ways = 0;
    BytesPerSecond l2_read, l2_write;
    BytesPerSecond l2_line_read;         // of lines that many cores read at a time, to all of them together
    BytesPerSecond hbm_read, hbm_write;  // of nothing but reads, of nothing but writes: they share its time
    // Bytes of reads that take the HBM as long as what is read and what is written.
    double as_reads(double read, double written) const {
      return read + written * (static_cast<double>(hbm_read.count) / static_cast<double>(hbm_write.count));
    }
  } memory;

  // What connects the dies. A put goes through the plane of the first level that both its ends belong to.
  struct Fabric {
    struct Plane {
      std::string name;
      BytesPerSecond egress, ingress;  // a die's ports, for bytes that are written
      BytesPerSecond read;             // the same for bytes that the other die reads
    };
    struct Level {
      std::string name;
      std::uint32_t dies = 0;   // that are this close; kNone: all
      std::uint32_t plane = 0;  // its place in `planes`
      Duration latency;         // of a put's last byte and its signal
      double payload = 1;       // part of the bytes on a port that are a put's
    };
    std::vector<Plane> planes;
    std::vector<Level> levels;       // from near to far
    BytesPerSecond put_per_worker;   // one AIV's puts
    BytesPerSecond pull_per_worker;  // one AIV's reads of remote memory
    Duration put_startup;            // of a put, before its bytes flow
    double unaligned = 1;            // part of put_per_worker where a put's rows are no whole lines
    Duration put_fence;              // from the last byte's departure until the worker is free
    Duration put_row{};              // of a row of a put that goes piece by piece, beside its bytes

    const Level* level(std::string_view name) const;  // null: there is none of this name
  } fabric;

  // What moves bytes to another device without workers. Copies of one engine come one after the other.
  struct CopyEngine {
    std::uint32_t count = 1;  // of a device, for what leaves it
    BytesPerSecond rate;
    Duration startup;  // of a copy, on its engine
  };
  std::optional<CopyEngine> copy_engine{};  // none: programs on streams do not run
};

// What products that follow one another for long keep of their rate, from now on.
Hardware sustained(const Hardware& hardware);

// The same hardware with another clock: `factor` of its own, positive.
Hardware at_clock(const Hardware& hardware, double factor);

// Reads the `hardware` mapping; what is wrong is noted in its Diagnostics, also what belongs to the `program` mapping.
Hardware read_hardware(const Config& config);

}  // namespace a3sim
