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

// The links between ranks, and what flows through them: each date by itself, between whole picoseconds too.
class Links {
 public:
  Links(const Hardware& hardware, const Program& program, const RunOptions& options, std::uint32_t ranks);

  Duration latency(std::uint32_t src, std::uint32_t dst) const { return level(src, dst).latency; }
  // Of the two ranks that are farthest apart.
  Duration farthest() const;

  // A worker's put flows from now on.
  void start(std::uint32_t rank, std::uint32_t worker, const Task& put);
  // The whole picosecond by which the next put has left; the most there is: none.
  std::int64_t next_end() const;
  // Goes on to a date; whose puts have left by then.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> advance(std::int64_t date);
  // Shares the ports out: a memory that cannot serve what its puts move makes its ports slower.
  void share(const Hardware::MemorySystem& memory);
  // Bytes a picosecond that a rank's ports take of its L2's reads and writes and of its HBM.
  std::array<long double, 3> takes(std::uint32_t rank) const;

 private:
  struct Flow : PortUser {
    std::uint32_t rank, worker;
    const Task* put;
    long double left;  // bytes on the ports
  };
  struct Load {
    long double bytes = 0, hbm = 0;
    long double part() const { return bytes > 0 ? hbm / bytes : 0; }
  };

  const Hardware::Fabric::Level& level(std::uint32_t src, std::uint32_t dst) const;
  // Which of a rank's ports; one for all planes that a collective's rate was measured over.
  std::size_t port(std::uint32_t plane, std::uint32_t rank, bool in) const;
  bool together(const Hardware::Fabric::Plane& plane) const;
  std::size_t port_kind(std::uint32_t plane) const;
  void solve();
  Load load(std::uint32_t rank, bool in) const;

  const Hardware& hardware_;
  const Program& program_;
  bool collective_;
  std::uint32_t ranks_;
  std::vector<std::uint32_t> dies_;
  std::vector<bool> used_;                       // by kind of port
  std::vector<long double> ports_, shared_out_;  // capacities: as they are, and as memories serve them
  std::list<Flow> flows_;
  std::list<Flow> left_;  // at `now_`, and not told of yet
  long double now_ = 0;
};

}  // namespace a3sim::reference
