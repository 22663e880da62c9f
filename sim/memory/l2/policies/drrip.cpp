#include <algorithm>
#include <array>

#include "sim/memory/l2/policies/rrip.h"
#include "sim/memory/l2/policy_of.h"

namespace a3sim {
namespace {

// Who decides how new lines are predicted.
enum Role : std::uint32_t { kFollower, kStaticLeader, kBimodalLeader, kRoles };

// The duel: misses of the leaders move a counter, and above its middle the followers are bimodal. Sizes are
// those of the paper: 32 leader sets each, a counter of 10 bits, one line in 32 predicted long by the bimodal
// side. The counter starts at the static end, so that chance does not decide while nothing is used again.
class Duel {
 public:
  // What a leader's miss weighs.
  explicit Duel(std::uint32_t weight) : weight_(weight) {}

  // The prediction of a line that is filled after a miss.
  std::uint32_t prediction(Role role) {
    if (role == kStaticLeader) balance_ = std::min(balance_ + weight_, kMost);
    if (role == kBimodalLeader) balance_ -= std::min(balance_, weight_);
    const bool bimodal = role == kBimodalLeader || (role == kFollower && balance_ > kMost / 2);
    if (!bimodal) return rrip::kLong;
    return ++fills_ % 32 == 0 ? rrip::kLong : rrip::kDistant;
  }

 private:
  static constexpr std::uint32_t kMost = 1023;
  std::uint32_t weight_, balance_ = 0, fills_ = 0;
};

constexpr std::uint32_t kLeaderSets = 32;

std::uint32_t sets_of(const L2Spec& spec) {
  return static_cast<std::uint32_t>(spec.size.count / kL2Line / spec.ways);
}

class DrripLines {
 public:
  static constexpr bool kFirstFree = true;
  DrripLines(const L2Spec&, std::uint32_t sets) : duel_(1), stride_(std::max(sets / kLeaderSets, 2U)) {}

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
// does. A piece's miss weighs as many as its lines would in the leader sets.
class DrripPieces {
 public:
  DrripPieces(const L2Spec& spec, std::uint32_t pieces)
      : duel_(std::max(kPieceLines * kLeaderSets * kGroups / sets_of(spec), 1U)),
        groups_{rrip::Pieces(pieces), rrip::Pieces(pieces), rrip::Pieces(pieces)} {}

  void begin(const L2Access&) {}
  void insert(std::uint32_t piece) { groups_[role(piece)].insert(piece, duel_.prediction(role(piece))); }
  void hit(const PieceRun& run) {
    run.each([&](std::uint32_t piece) { groups_[role(piece)].hit(piece); });
  }
  void extend(std::uint32_t) {}
  void erase(std::uint32_t piece) { groups_[role(piece)].erase(piece); }
  std::uint32_t victim(std::uint32_t incoming) {
    std::uint32_t piece = groups_[role(incoming)].victim();
    for (std::uint32_t group = 0; piece == kNone && group < kRoles; ++group) piece = groups_[group].victim();
    return piece;
  }

 private:
  static constexpr std::uint32_t kGroups = 64, kPieceLines = 128;

  static Role role(std::uint32_t piece) {
    const std::uint32_t hash = (piece * 0x9e3779b1U) >> 26;  // Fibonacci hashing to kGroups
    return hash == 0 ? kStaticLeader : hash == 1 ? kBimodalLeader : kFollower;
  }

  Duel duel_;
  std::array<rrip::Pieces, kRoles> groups_;
};

A3SIM_REGISTER(L2Policy, "drrip",
               "SRRIP, or nearly all new lines predicted distant, whichever misses less in sampled sets",
               L2PolicyOf<DrripLines, DrripPieces>);

}  // namespace
}  // namespace a3sim
