#include <algorithm>
#include <cmath>

#include "sim/memory/l2/l2.h"

namespace a3sim {
namespace {

// Remembers only the fractions of requests and bytes that it still owes.
class RatedL2 final : public L2 {
 public:
  explicit RatedL2(std::span<const L2Rates> rates)
      : L2(static_cast<std::uint32_t>(rates.size())),
        rates_(rates.begin(), rates.end()),
        owed_(rates.size()) {}

  L2Traffic access(const L2Access& access) override {
    const std::uint64_t bytes = std::uint64_t{access.rows.size()} * (access.byte_end - access.byte_begin);
    const std::uint64_t requests = (bytes + kL2Request - 1) / kL2Request;
    const L2Rates& rate = rates_[index(access.op)];
    Owed& owed = owed_[index(access.op)];
    const auto amount = static_cast<double>(bytes);
    L2Traffic traffic;
    traffic.hbm_write = take(owed.written, amount * rate.hbm_written);
    if (access.write) {
      traffic.write.hit = requests;
    } else {
      traffic.read.miss = take(owed.missed, static_cast<double>(requests) * (1 - rate.read_hit));
      traffic.read.miss = std::min(traffic.read.miss, requests);
      traffic.read.hit = requests - traffic.read.miss;
      traffic.hbm_read = take(owed.read, amount * rate.hbm_read);
    }
    count(access, traffic);
    return traffic;
  }

  std::uint64_t flush() override { return 0; }

 private:
  struct Owed {
    double missed = 0, read = 0, written = 0;
  };
  static std::uint64_t take(double& owed, double more) {
    owed += more;
    const double whole = std::floor(owed);
    owed -= whole;
    return static_cast<std::uint64_t>(whole);
  }

  std::vector<L2Rates> rates_;
  std::vector<Owed> owed_;
};

}  // namespace

std::unique_ptr<L2> make_rated_l2(std::span<const L2Rates> rates) { return std::make_unique<RatedL2>(rates); }

}  // namespace a3sim
