#include "sim/memory/l2/policies/rrip.h"
#include "sim/memory/l2/policy_of.h"

namespace a3sim {
namespace {

struct SrripLines {
  static constexpr bool kFirstFree = true;
  SrripLines(const L2Spec&, std::uint32_t) {}

  void begin(const L2Access&) {}
  template <class Set>
  std::uint32_t hit(Set& set, std::uint32_t, std::uint32_t way) {
    rrip::predict(set, way, 0);
    return way;
  }
  template <class Set>
  std::uint32_t victim(Set& set, std::uint32_t, typename Set::Mask candidates) {
    return rrip::victim(set, candidates);
  }
  template <class Set>
  std::uint32_t fill(Set& set, std::uint32_t, std::uint32_t way, std::uint16_t) {
    rrip::predict(set, way, rrip::kLong);
    return way;
  }
};

class SrripPieces {
 public:
  SrripPieces(const L2Spec&, std::uint32_t pieces) : pieces_(pieces) {}

  void begin(const L2Access&) {}
  void insert(std::uint32_t piece) { pieces_.insert(piece, rrip::kLong); }
  void hit(const PieceRun& run) {
    run.each([&](std::uint32_t piece) { pieces_.hit(piece); });
  }
  void extend(std::uint32_t) {}
  void erase(std::uint32_t piece) { pieces_.erase(piece); }
  std::uint32_t victim(std::uint32_t) { return pieces_.victim(); }

 private:
  rrip::Pieces pieces_;
};

A3SIM_REGISTER(L2Policy, "srrip",
               "new lines are expected to be used again late: scans do not displace what was hit",
               L2PolicyOf<SrripLines, SrripPieces>);

}  // namespace
}  // namespace a3sim
