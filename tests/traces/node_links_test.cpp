#include "sim/diagnosis/rules/node_links.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using namespace a3sim;

namespace {

// Four nodes of four ranks. The bytes that leave node 2 for other nodes flow at a third of the usual rate.
constexpr std::uint32_t kNodeRanks = 16, kOfNode = 4, kSlow = 2;
const std::vector<std::uint32_t> kNodes{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
constexpr SlowLinkLimits kLimits{-0.105, 0.4, 0.5, 0.5};  // 0.9 of the usual rate

// `recorded`: only transfers that begin or end at one of these ranks were seen. `healthy`: a rank of the node that is none of
// the slow ones.
std::vector<SlowLink> links_of(const std::vector<std::uint32_t>& recorded, std::uint32_t healthy = kNone) {
  LinkRates rates(kNodeRanks);
  // Ranks of a node meet over another plane than those of different nodes.
  static const TransferRecord kWithin, kBetween = [] {
    TransferRecord put;
    put.plane = 1;
    return put;
  }();
  const auto seen = [&](std::uint32_t r) { return std::ranges::find(recorded, r) != recorded.end(); };
  for (std::uint32_t s = 0; s < kNodeRanks; ++s)
    for (std::uint32_t d = 0; d < kNodeRanks; ++d)
      if (s != d && (seen(s) || seen(d))) {
        rates.longest[s][d] = s / kOfNode == d / kOfNode ? &kWithin : &kBetween;
        rates.cells[s][d] =
            s / kOfNode == kSlow && d / kOfNode != kSlow && s != healthy ? std::log(1 / 3.0) : 0.0;
      }
  std::vector<SlowLink> links = slow_links_of(rates, kLimits);
  join_nodes(kNodes, rates, links);
  return links;
}

}  // namespace

TEST_CASE("the slow ports of a node are one link of all its ranks, however few ranks were recorded") {
  for (const std::vector<std::uint32_t>& recorded :
       {std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {6, 8, 9},
        {3, 5, 15},
        {3, 6}}) {
    const std::vector<SlowLink> links = links_of(recorded);
    INFO(recorded.size() << " recorded");
    REQUIRE(links.size() == 1);
    CHECK(links.front().kind == SlowLink::Kind::kPorts);
    CHECK(links.front().ranks == std::vector<std::uint32_t>{8, 9, 10, 11});
    CHECK(links.front().egress);
    CHECK_FALSE(links.front().ingress);
    CHECK(links.front().factor == Approx(1 / 3.0));
  }
}

TEST_CASE("a node with a rank that sends as ever is not named") {
  for (const SlowLink& link : links_of({3, 5, 15}, 9))
    CHECK(std::ranges::find(link.ranks, 9U) == link.ranks.end());
}
