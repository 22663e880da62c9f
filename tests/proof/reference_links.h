#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <utility>
#include <vector>

#include "sim/runtime/run_options.h"
#include "tests/proof/reference_shares.h"
#include "tests/proof/reference_work.h"

namespace a3sim::reference {

// The links between ranks and the flows through them. Keeps exact times, also between whole picoseconds.
class Links {
 public:
  Links(const Hardware& hardware, const Program& program, const RunOptions& options, std::uint32_t ranks);

  Duration latency(std::uint32_t src, std::uint32_t dst) const { return level(src, dst).latency; }
  // Returns the latency between the two ranks that are farthest apart.
  Duration farthest() const;

  // Starts the flow of a worker's put.
  void start(std::uint32_t rank, std::uint32_t worker, const Task& put);
  // Returns the whole picosecond by which the next put has left, or the largest number if there is none.
  std::int64_t next_end() const;
  // Advances to a time. Returns rank and worker of the puts that have left by then.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> advance(std::int64_t time);
  // Shares the ports out. A memory that cannot serve what its ports would carry limits those that carry most to one rate;
  // the memory with the lowest such rate first.
  void share(const Hardware::MemorySystem& memory);
  // Returns how many bytes per picosecond a rank's ports take of its L2's reads, of its L2's writes and of
  // its HBM.
  std::array<long double, 3> takes(std::uint32_t rank) const;

 private:
  struct Flow : PortUser {
    std::uint32_t rank, worker;
    const Task* put;
    long double left;  // bytes left on the ports
  };
  struct Load {
    long double bytes = 0, hbm = 0;
    long double part() const { return bytes > 0 ? hbm / bytes : 0; }
  };

  const Hardware::Fabric::Level& level(std::uint32_t src, std::uint32_t dst) const;
  // Returns the port of a rank. All planes that a collective's rate was measured over are one port.
  std::size_t port(std::uint32_t plane, std::uint32_t rank, bool in) const;
  bool together(const Hardware::Fabric::Plane& plane) const;
  std::size_t port_kind(std::uint32_t plane) const;
  // Returns the highest rate of a rank's ports at which its memory serves all of them: of those out and in. Infinite if it
  // does so anyway.
  std::array<long double, 2> limits(std::uint32_t rank, const Hardware::MemorySystem& memory) const;
  std::vector<long double> carried(std::uint32_t rank, bool in) const;
  void solve();
  Load load(std::uint32_t rank, bool in) const;

  const Hardware& hardware_;
  const Program& program_;
  bool collective_;
  std::uint32_t ranks_;
  std::vector<std::uint32_t> dies_;
  std::vector<bool> used_;                       // one per kind of port
  std::vector<long double> ports_, shared_out_;  // capacities as they are, and as memories serve them
  std::list<Flow> flows_;
  std::list<Flow> left_;  // have left at `now_`, and are not reported yet
  long double now_ = 0;
};

}  // namespace a3sim::reference
