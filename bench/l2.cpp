#include <fmt/core.h>

#include <ctime>
#include <functional>

#include "sim/memory/l2/policy.h"
#include "tests/machine/l2_kernels.h"

// Measures how fast the L2 models are and how far they differ: lines per second by policy, the streams of
// whole kernels through both, and the backward pass of 16 ranks through the fast one. An argument names the
// policy of the kernels (default lru).
using namespace a3sim;

namespace {

constexpr Bytes kSize = 192_MiB;

// Measures processor time, which other programs do not change.
class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

L2Spec spec_of(const std::string& policy) { return {.size = kSize, .policy = policy}; }

// Prints line rates: 25 cores each stream their own matrix (in runs of 64 lines) and share another, which
// is thus read again.
void print_line_rates() {
  constexpr std::uint64_t kRun = 64, kRounds = 6000, kOwn = 40'000'000, kShared = 64 << 20;
  fmt::print("{:8} {:>6} {:>10} {:>10} {:>12}\n", "policy", "ways", "Mlines/s", "hits", "state");
  for (const auto& [name, policy] : Registry<L2Policy>::all()) {
    for (std::uint32_t ways : {16U, 24U, 48U}) {
      L2Spec spec = spec_of(name);
      spec.ways = ways;
      const auto lines = policy.object->lines(spec);
      L2Traffic traffic;
      const Stopwatch watch;
      for (std::uint64_t round = 0; round < kRounds; ++round) {
        for (std::uint64_t core = 0; core < kCubeCores; ++core) {
          const std::uint64_t own = (2 + core) * kShared + round * kRun * kL2Line % kOwn;
          lines->access({own, kRun * kL2Line}, {}, traffic);
          lines->access({round * kRun * kL2Line % kShared, kRun * kL2Line}, {.write = core == 0}, traffic);
        }
      }
      const double rate = 2.0 * kRun * kRounds * kCubeCores / watch.seconds() / 1e6;
      fmt::print("{:8} {:6} {:10.1f} {:9.2f}% {:8} KiB\n", name, ways, rate, 100 * traffic.read.hit_rate(),
                 lines->footprint() / 1024);
    }
  }
}

using MakeKernel = std::function<L2Kernel(std::uint32_t segment_k)>;
constexpr std::uint32_t kPanel = 1 << 20;

struct Profile {
  L2Traffic traffic;
  double seconds;
};

Profile measure(L2& l2, const L2Kernel& c) {
  const Stopwatch watch;
  const L2Traffic traffic = replay(l2, c);
  return {traffic, watch.seconds()};
}

void print_header() {
  fmt::print("\n{:38} {:>7} {:>9} {:>8} |  hit rate of pieces - lines, points; HBM read; time\n", "kernel",
             "hits", "HBM read", "time");
}

// Compares the models. Pieces are looked up per load, in segments of K of 1024, and in whole panels.
void print_comparison(const std::string& name, const std::string& policy, bool has_k,
                      const MakeKernel& make) {
  const L2Kernel loads = make(kLoadK);
  const L2Spec spec = spec_of(policy);
  const Profile exact = measure(*make_line_l2(spec, loads.tensors, loads.ops), loads);
  fmt::print("{:38} {:6.2f}% {:6.0f} MB {:5.0f} ms |", name, 100 * exact.traffic.read.hit_rate(),
             static_cast<double>(exact.traffic.hbm_read) * 1e-6, exact.seconds * 1e3);
  for (std::uint32_t segment : {kLoadK, 1024U, kPanel}) {
    if (segment != kLoadK && !has_k) continue;
    const L2Kernel c = make(segment);
    const auto l2 = make_piece_l2(spec, c.tensors, c.ops);
    const Profile fast = measure(*l2, c);
    fmt::print(
        " {:+6.2f} {:+6.2f}% {:5.1f} ms {:4.1f} ns/piece;",
        100 * (fast.traffic.read.hit_rate() - exact.traffic.read.hit_rate()),
        100 * (static_cast<double>(fast.traffic.hbm_read) / static_cast<double>(exact.traffic.hbm_read) - 1),
        fast.seconds * 1e3, fast.seconds * 1e9 / static_cast<double>(l2->touched()));
  }
  fmt::print("\n");
}

std::string name_of(BlockOrder order, Skew skew) {
  return fmt::format("{} {}", order == BlockOrder::kRowMajor ? "rows" : "diagonal", name_of(skew));
}

template <class Visit>
void each_setting(Visit&& visit) {
  for (BlockOrder order : {BlockOrder::kRowMajor, BlockOrder::kDiagonal}) {
    for (Skew skew : {Skew::kNone, Skew::kStep, Skew::kRandom}) visit(order, skew);
  }
}

void print_matmuls(const std::string& policy) {
  print_header();
  std::vector<MatmulCase> shapes{{4096, 4096, 7168}, {4096, 7168, 2048}};
  for (std::uint32_t size : {1024U, 1536U, 2048U, 3072U, 4096U, 6144U, 7680U, 8192U, 12288U, 16384U}) {
    shapes.push_back({size, size, size});
  }
  for (MatmulCase shape : shapes) {
    each_setting([&](BlockOrder order, Skew skew) {
      shape.order = order;
      shape.skew = skew;
      print_comparison(fmt::format("{}x{}x{} {}", shape.m, shape.n, shape.k, name_of(order, skew)), policy,
                       true, [&](std::uint32_t segment) { return matmul_kernel(shape, segment); });
    });
  }
}

void print_vectors(const std::string& policy) {
  print_header();
  for (std::uint32_t rows : {2048U, 4096U, 8192U, 14336U, 16384U, 18432U, 20480U, 32768U}) {
    for (std::uint32_t tile : {16U, 64U, 128U}) {
      for (bool interleaved : {false, true}) {
        const SwiGluAddCase what{.rows = rows, .tile_rows = tile, .interleaved = interleaved};
        print_comparison(
            fmt::format("SwiGLU+Add {} {} tile {}", rows, interleaved ? "interleaved" : "serial", tile),
            policy, false, [&](std::uint32_t) { return swiglu_add_kernel(what); });
      }
    }
  }
}

void print_backward(const std::string& policy) {
  print_header();
  for (bool interleaved : {false, true}) {
    each_setting([&](BlockOrder order, Skew skew) {
      const BackwardCase what{.interleaved = interleaved, .order = order, .skew = skew};
      print_comparison(
          fmt::format("backward {} {}", interleaved ? "interleaved" : "sequential", name_of(order, skew)),
          policy, true, [&](std::uint32_t segment) { return backward_kernel(what, segment); });
    });
  }
}

// Prints ranks that take turns, as in a simulation of all of them.
void print_ranks() {
  constexpr std::uint32_t kRanks = 16;
  fmt::print("\n16 ranks' backward in turns, pieces\n");
  for (std::uint32_t piece_rows : {128U, 256U, 512U}) {
    for (std::uint32_t segment : {kLoadK, 1024U, kPanel}) {
      L2Kernel c = backward_kernel({.interleaved = true}, segment);
      for (L2Tensor& tensor : c.tensors) tensor.piece_rows = piece_rows;
      std::vector<std::unique_ptr<PieceL2>> ranks;
      for (std::uint32_t r = 0; r < kRanks; ++r) {
        ranks.push_back(make_piece_l2(spec_of("lru"), c.tensors, c.ops));
      }
      const Stopwatch watch;
      for (const TimedAccess& timed : c.accesses) {
        for (const auto& rank : ranks) rank->access(timed.access);
      }
      fmt::print("{} rows a piece, {:7} of K a look-up: {:5.2f} s, {:9} pieces a rank, {:.2f}% hits\n",
                 piece_rows, segment, watch.seconds(), ranks[0]->touched(),
                 100 * ranks[0]->total().read.hit_rate());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string policy = argc > 1 ? argv[1] : "lru";
  print_line_rates();
  print_ranks();
  print_vectors(policy);
  print_backward(policy);
  print_matmuls(policy);
}
