#include <algorithm>
#include <array>

#include "sim/memory/l2/policies/rrip.h"
#include "sim/memory/l2/policy_of.h"

namespace a3sim {
namespace {

// Who decides how new lines are predicted.
enum Role : std::uint32_t { kFollower, kStaticLeader, kBimodalLeader, kRoles };

// The duel: misses of the leaders move a counter, whose side the followers take. Sizes are those of the
// paper: 32 leader sets each, a counter of 10 bits, one line in 32 predicted long by the bimodal side.
class Duel {
 public:
  // The prediction of a line that is filled after a miss.
  std::uint32_t prediction(Role role) {
    if (role == kStaticLeader && misses_ < kMost) ++misses_;
    if (role == kBimodalLeader && misses_ > 0) --misses_;
    const bool bimodal = role == kBimodalLeader || (role == kFollower && misses_ > kMost / 2);
    if (!bimodal) return rrip::kLong;
    return ++fills_ % 32 == 0 ? rrip::kLong : rrip::kDistant;
  }

 private:
  static constexpr std::uint32_t kMost = 1023;
  std::uint32_t misses_ = kMost / 2, fills_ = 0;
};

class DrripLines {
 public:
  static constexpr bool kFirstFree = true;
  DrripLines(const L2Spec&, std::uint32_t sets) : stride_(std::max(sets / 32, 2U)) {}

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
  std::uint32_t fill(Set& set, std::uint32_t index, std::uint32_t way, std::uint16_t) {
    rrip::predict(set, way, duel_.prediction(role(index)));
    return way;
  }

 private:
  Role role(std::uint32_t set) const {
    const std::uint32_t place = set % stride_;
    return place == 0 ? kStaticLeader : place == stride_ / 2 ? kBimodalLeader : kFollower;
  }

  Duel duel_;
  std::uint32_t stride_;
};

// Leaders are pieces spread by a hash, one in 64 for each side: a group makes room among its own, as a set
// does.
class DrripPieces {
 public:
  DrripPieces(const L2Spec&, std::uint32_t pieces)
      : groups_{rrip::Pieces(pieces), rrip::Pieces(pieces), rrip::Pieces(pieces)} {}

  void insert(std::uint32_t piece) { groups_[role(piece)].insert(piece, duel_.prediction(role(piece))); }
  void hit(std::uint32_t piece) { groups_[role(piece)].hit(piece); }
  void extend(std::uint32_t) {}
  void erase(std::uint32_t piece) { groups_[role(piece)].erase(piece); }
  std::uint32_t victim(std::uint32_t incoming) {
    std::uint32_t piece = groups_[role(incoming)].victim();
    for (std::uint32_t group = 0; piece == kNone && group < kRoles; ++group) piece = groups_[group].victim();
    return piece;
  }

 private:
  static Role role(std::uint32_t piece) {
    const std::uint32_t hash = (piece * 0x9e3779b1U) >> 26;  // Fibonacci hashing to 64 groups
    return hash == 0 ? kStaticLeader : hash == 1 ? kBimodalLeader : kFollower;
  }

  Duel duel_;
  std::array<rrip::Pieces, kRoles> groups_;
};

const Registry<L2Policy>::Entry kDrrip(
    "drrip", "SRRIP, or nearly all new lines predicted distant, whichever misses less in sampled sets",
    std::make_unique<L2PolicyOf<DrripLines, DrripPieces>>());

}  // namespace
}  // namespace a3sim
