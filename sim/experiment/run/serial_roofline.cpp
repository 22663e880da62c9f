#include "sim/experiment/run/serial_roofline.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "models/operators/operator.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/streams/stream_program.h"
#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

Duration time_of(double picoseconds) { return Duration(static_cast<std::int64_t>(picoseconds)); }
double time_at(double amount, double rate) { return amount * 1e12 / rate; }
double time_at(double amount, BytesPerSecond rate) {
  return time_at(amount, static_cast<double>(rate.count));
}

// Returns the multiply-accumulates per second of all cubes, for values of so many bytes.
double peak_rate(const Hardware& hardware, std::uint32_t cubes, std::uint32_t macs, double part_of_peak) {
  const Hardware::Cube& cube = hardware.cube;
  return static_cast<double>(cubes) * macs * static_cast<double>(hardware.clock.count) * cube.speed *
         part_of_peak;
}

// Collects the bytes of each port, and the longest latency.
class PortUse {
 public:
  explicit PortUse(const Topology& topology)
      : topology_(topology), sent_(topology.ports().egress.size(), 0), received_(sent_.size(), 0) {}

  void add(RankId from, RankId to, double bytes) {
    if (bytes <= 0) return;
    const Topology::Route route = topology_.route(from, to);
    sent_[route.from] += bytes;
    received_[route.to] += bytes;
    latency_ = std::max(latency_, route.latency);
  }

  void tell(SerialRoofline& roofline) const {
    double busiest = 0;
    for (std::size_t p = 0; p < sent_.size(); ++p) {
      busiest = std::max(busiest, time_at(sent_[p], topology_.ports().egress[p]));
      busiest = std::max(busiest, time_at(received_[p], topology_.ports().ingress[p]));
    }
    roofline.link = time_of(busiest);
    roofline.latency = latency_;
  }

 private:
  const Topology& topology_;
  std::vector<double> sent_, received_;
  Duration latency_{};
};

// Collects the operands and results of one operator on one rank. Rows that several tasks touch count once.
class OperatorBytes {
 public:
  void add(TensorId tensor, bool written, Rows rows, double row_bytes) {
    if (!rows.empty()) parts_[{index(tensor), written, row_bytes}].push_back({rows.begin, rows.end});
  }
  void add(bool written, double bytes) { (written ? written_ : read_) += bytes; }

  // Returns the time at the HBM's rates, in picoseconds.
  double time(const Hardware::MemorySystem& memory) {
    for (auto& [output, parts] : parts_) {
      std::sort(parts.begin(), parts.end());
      std::uint32_t last = 0, rows = 0;
      for (const auto& [begin, end] : parts) {
        if (end <= last) continue;
        rows += end - std::max(begin, last);
        last = end;
      }
      add(output.written, rows * output.row_bytes);
    }
    parts_.clear();
    return time_at(memory.as_reads(read_, written_), memory.hbm_read);
  }

 private:
  struct Operand {
    std::uint32_t tensor = 0;
    bool written = false;
    double row_bytes = 0;
    auto operator<=>(const Operand&) const = default;
  };
  std::map<Operand, std::vector<std::pair<std::uint32_t, std::uint32_t>>> parts_;
  double read_ = 0, written_ = 0;
};

struct OperatorUse {
  double arithmetic = 0;  // in picoseconds
  OperatorBytes bytes;
};

// Goes through the tasks of a schedule, rank by rank.
class ScheduleUse {
 public:
  ScheduleUse(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
              const Topology& topology, double part_of_peak)
      : layout_(schedule.front().shape(), capacity_of(schedule), counts),
        hardware_(hardware),
        ports_(topology),
        part_of_peak_(part_of_peak) {
    for (const Ssc& ssc : schedule) busiest_ = std::max(busiest_, operators(ssc));
  }

  void tell(SerialRoofline& roofline) const {
    roofline.operators = time_of(busiest_);
    ports_.tell(roofline);
  }

 private:
  double operators(const Ssc& ssc);
  void add_products(const Ssc& ssc, OperatorUse& use);
  void add_streams(const Ssc& ssc, OperatorUse& use);

  RowLayout layout_;
  const Hardware& hardware_;
  PortUse ports_;
  double part_of_peak_;
  double busiest_ = 0;
  Work work_;
};

double ScheduleUse::operators(const Ssc& ssc) {
  const WorkContext context{layout_, ssc.tensors(), ssc.operators(), ssc.tilings(), ssc.rank()};
  std::map<std::uint32_t, OperatorUse> by_operator;
  for (const TaskDescriptor& td : ssc.tasks()) {
    work_.clear();
    Operators::get(ssc.operators()[td.op].type)
        .work(context, {td, read_by(ssc.inputs(td)), ssc.outputs(td)}, work_);
    OperatorUse& use = by_operator[td.op];
    add_products(ssc, use);
    add_streams(ssc, use);
  }
  double sum = 0;
  for (auto& [op, use] : by_operator) sum += std::max(use.arithmetic, use.bytes.time(hardware_.memory));
  return sum;
}

void ScheduleUse::add_products(const Ssc& ssc, OperatorUse& use) {
  if (work_.kind != WorkKind::kCube) return;
  const std::uint32_t cubes = ssc.kinds().count(CoreUnit::kMatrix);
  use.arithmetic += time_at(
      static_cast<double>(work_.macs()),
      peak_rate(hardware_, cubes, hardware_.cube.macs_per_cycle(work_.dtype, work_.weights), part_of_peak_));
  const auto add = [&](TensorId tensor, bool written, std::uint32_t first, std::uint32_t rows) {
    use.bytes.add(tensor, written, {first, first + rows},
                  static_cast<double>(ssc.tensors()[index(tensor)].row_bytes()));
  };
  for (const Gemm& gemm : work_.gemms) {
    if (!work_.zero_fill) {
      add(work_.a, false, gemm.a_row, work_.a_transposed ? gemm.k : gemm.m);
      add(work_.b, false, gemm.b_row, work_.b_transposed ? gemm.n : gemm.k);
    }
    add(work_.c, true, gemm.c_row, gemm.m);
  }
}

// Bytes read from or written to another rank go through ports. A put's local reads delay no operator.
void ScheduleUse::add_streams(const Ssc& ssc, OperatorUse& use) {
  for (const Stream& stream : work_.streams) {
    const auto bytes = static_cast<double>(stream.bytes);
    if (stream.rank != ssc.rank())
      stream.write ? ports_.add(ssc.rank(), stream.rank, bytes) : ports_.add(stream.rank, ssc.rank(), bytes);
    else if (work_.kind == WorkKind::kVector)
      use.bytes.add(stream.write, bytes);
  }
}

}  // namespace

SerialRoofline serial_roofline(const Schedule& schedule, const RoutingCounts& counts,
                               const Hardware& hardware, const Program& program, const RunOptions& options,
                               double part_of_peak) {
  SerialRoofline roofline;
  if (schedule.empty()) return roofline;
  const Topology topology(hardware, program, dies_of(schedule, options), options.transport,
                          static_cast<std::uint32_t>(schedule.size()));
  ScheduleUse(schedule, counts, hardware, topology, part_of_peak).tell(roofline);
  roofline.launch = first_launch(program, options.launch);
  return roofline;
}

SerialRoofline serial_roofline(const StreamProgram& stream_program, const Hardware& hardware,
                               const Program& program, std::span<const std::uint32_t> dies,
                               double part_of_peak, const std::function<bool(std::uint32_t)>& counts) {
  const Topology topology(hardware, Program{}, dies, Transport::kPuts);
  const double peak = peak_rate(hardware, hardware.workers.count(CoreUnit::kMatrix),
                                hardware.cube.macs_per_cycle_16, part_of_peak);
  PortUse ports(topology);
  std::vector<double> operators(stream_program.ranks, 0);
  for (std::uint32_t t = 0; t < stream_program.tasks.size(); ++t) {
    const StreamTask& task = stream_program.tasks[t];
    if (!counts(t)) continue;
    for (const StreamTransfer& transfer : task.transfers)
      ports.add(task.rank, transfer.dst, static_cast<double>(transfer.bytes.count));
    if (!task.transfers.empty()) continue;
    const double bytes = task.job.bytes[static_cast<std::size_t>(Resource::kHbm)];
    operators[index(task.rank)] +=
        std::max(time_at(task.macs, peak), time_at(bytes, hardware.memory.hbm_read));
  }
  SerialRoofline roofline;
  roofline.operators = time_of(*std::ranges::max_element(operators));
  ports.tell(roofline);
  roofline.launch = program.launch.queued;
  return roofline;
}

}  // namespace a3sim
