#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/shape.h"
#include "models/worker_kinds.h"
#include "sim/core/config/config.h"
#include "sim/core/ids.h"
#include "sim/core/units.h"
#include "sim/device/pipes.h"

namespace a3sim {

// The modelled device and its links, in the units of data sheets. Values and sources are in
// configs/hardware/. A Program holds the further costs of code on it.
struct Hardware {
  std::string name;
  std::string stack;  // the software that it runs; empty: any

  // Each unit belongs to one kind; a kind may have both units, as an SM has, or operators of its own.
  WorkerKinds workers;
  Hertz clock;
  Pipes pipes;  // of a matrix core and the vector core beside it

  struct Cube {
    std::uint32_t macs_per_cycle_16 = 0;  // bf16 and fp16
    std::uint32_t macs_per_cycle_32 = 0;
    std::uint32_t macs_per_cycle_8 = 0;    // int8
    std::uint32_t macs_per_cycle_fp8 = 0;  // FP8, HiF8 and MXFP8; 0: these do not multiply
    std::uint32_t macs_per_cycle_fp4 = 0;  // MXFP4; 0: it does not multiply
    double mad_head_cycles = 0;            // start-up of a mad instruction
    // Bytes per cycle of the ways that products take (Pipes::way).
    double l1_to_l0a = 0, l1_to_l0b = 0;
    bool l0_in_turns = true;             // loads to L0A and to L0B take turns
    double gm_to_l1 = 0;                 // per core, from the L2
    double gm_to_l1_miss = 0;            // the same while the L2 fetches them
    double l0c_to_gm = 0;                // per core
    double l0c_to_ub = 0, ub_to_l1 = 0;  // inside a core, past the memory; 0: there is no such way
    double unaligned = 1;                // factor on gm_to_l1 if rows do not begin at a line
    double rows_128 = 1, rows_256 = 1;   // factor on gm_to_l1 for rows of this many bytes
    double load_issue_cycles = 0;        // of a load to L1, in addition to its bytes
    Bytes l1{}, l0a{}, l0b{}, l0c{};
    std::uint32_t least_rows = 16;  // a product with fewer rows takes as long as with these
    double speed = 1;               // factor on the rate of products: what the power limit leaves
    double sustained = 1;           // the same while products run back to back for long
    double hbm_part = 1;            // factor on hbm_read for loads to L1

    // Returns the products per cycle with rows of a type and weights of another, at the rate of the wider one.
    // 0: the cube cannot multiply them.
    std::uint32_t macs_per_cycle(DataType rows, DataType weights) const;
    std::uint32_t macs_per_cycle(DataType type) const { return macs_per_cycle(type, type); }
  } cube;

  struct Vector {
    double simple_fp32 = 0;             // elements per cycle
    double convert = 0;                 // elements per cycle
    double transcendental = 0;          // elements per cycle
    double startup_cycles = 0;          // head and tail of a task's pipeline
    double gm_to_ub = 0, ub_to_gm = 0;  // bytes per cycle and core, from and to the L2
    double gm_to_ub_miss = 0;           // the same while the L2 fetches them
    double unaligned = 1;               // factor on gm_to_ub if rows do not begin at a line
    Bytes ub{};
    // Cycles of a load beside its bytes, in a loop that has one under way at a time.
    double load_startup = 0;
  } vector;
  // By kind of worker: how it does vector work, where it says so itself. May be shorter than `workers`.
  std::vector<std::optional<Vector>> own_vectors;
  const Vector& vector_of(std::uint32_t kind) const {
    return kind < own_vectors.size() && own_vectors[kind] ? *own_vectors[kind] : vector;
  }

  struct MemorySystem {
    Bytes l2_size;
    std::uint32_t l2_ways = 0;
    BytesPerSecond l2_read, l2_write;
    Bytes hbm_size{};                    // what a device can hold
    BytesPerSecond l2_line_read;         // of lines that many cores read at once, for all of them together
    BytesPerSecond hbm_read, hbm_write;  // of reads alone, of writes alone; they share the HBM's time
    // Bytes of loads from the L2 and of writes to other devices that can be under way at once. Writes that wait for
    // their port leave the less for loads. 0: no limit.
    Bytes in_flight{};
    // Returns the bytes of reads that take the HBM as long as `read` bytes read and `written` bytes written.
    double as_reads(double read, double written) const {
      return read + written * (static_cast<double>(hbm_read.count) / static_cast<double>(hbm_write.count));
    }
  } memory;

  // The links between the dies. A put uses the plane of the first level to which both its ends belong.
  struct Fabric {
    struct Plane {
      std::string name;
      BytesPerSecond egress, ingress;  // a die's ports, for bytes that are written
      BytesPerSecond read;             // the same for bytes that another die reads
    };
    struct Level {
      std::string name;
      std::uint32_t dies = 0;   // dies that are this close; kNone: all
      std::uint32_t plane = 0;  // index into `planes`
      Duration latency;         // of a put's last byte and its signal
      double payload = 1;       // the put's share of the bytes on a port
    };
    std::vector<Plane> planes;
    std::vector<Level> levels;       // from near to far
    BytesPerSecond put_per_worker;   // one AIV's puts
    BytesPerSecond pull_per_worker;  // one AIV's reads of remote memory
    Duration put_startup;            // time of a put before its bytes flow
    double unaligned = 1;            // factor on put_per_worker if a put's rows are not whole lines
    Duration put_fence;              // from the last byte's departure until the worker is free
    Duration put_row{};              // extra time per row of a put that goes piece by piece
    // A stream of pieces, each a copy of its own (Work::put_pieces): the time of a piece beside its bytes, and
    // the rate of these bytes.
    Duration put_piece{};
    BytesPerSecond put_stream{};

    const Level* level(std::string_view name) const;  // null if there is none of this name
  } fabric;

  // An engine that copies bytes to another device without workers. Copies of one engine run one after
  // another.
  struct CopyEngine {
    std::uint32_t count = 1;  // per device, for bytes that leave it
    BytesPerSecond rate;
    Duration startup;  // time on the engine before a copy's bytes flow
  };
  std::optional<CopyEngine> copy_engine{};  // nullopt: programs on streams do not run
};

// Returns why a machine has no products of rows of a type with weights of another.
std::string why_no_products(const Hardware& hardware, DataType rows, DataType weights);

// Returns the hardware at its sustained speed: that of products that have run back to back for long.
Hardware sustained(const Hardware& hardware);

// Returns the hardware with its clock multiplied by `factor` (positive).
Hardware at_clock(const Hardware& hardware, double factor);

// Reads the `hardware` mapping. Notes errors in its Diagnostics, also for keys that belong to the `program`
// mapping.
Hardware read_hardware(const Config& config);

}  // namespace a3sim
