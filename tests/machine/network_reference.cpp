#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "tests/machine/network_fixture.h"

using namespace a3sim;
using namespace a3sim::testing;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

// Max-min rates by definition, flow by flow: raise all rates together, stop those that meet a full port or
// their cap.
std::vector<long double> rates_by_definition(const std::vector<Put>& flows, std::uint32_t ranks,
                                             long double egress, long double ingress) {
  std::vector<long double> rate(flows.size(), 0);
  std::vector<bool> fixed(flows.size(), false);
  while (std::count(fixed.begin(), fixed.end(), false) > 0) {
    std::vector<long double> left(2 * ranks, egress);
    std::fill(left.begin() + ranks, left.end(), ingress);
    std::vector<int> rising(2 * ranks, 0);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      for (std::uint32_t port : {flows[i].src, ranks + flows[i].dst}) {
        left[port] -= rate[i];
        rising[port] += !fixed[i];
      }
    }
    long double step = std::numeric_limits<long double>::infinity();
    for (std::uint32_t p = 0; p < 2 * ranks; ++p) {
      if (rising[p] > 0) step = std::min(step, left[p] / rising[p]);
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!fixed[i]) step = std::min(step, flows[i].cap * 1e-12L - rate[i]);
    }
    const long double near = 1e-15L;
    std::vector<bool> full(2 * ranks);
    for (std::uint32_t p = 0; p < 2 * ranks; ++p)
      full[p] = rising[p] > 0 && left[p] - step * rising[p] < near;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (fixed[i]) continue;
      rate[i] += step;
      fixed[i] = full[flows[i].src] || full[ranks + flows[i].dst] || flows[i].cap * 1e-12L - rate[i] < near;
    }
  }
  return rate;
}

// Dates of ends in exact fluid time, by token.
std::vector<long double> ends_by_definition(const std::vector<Put>& puts, std::uint32_t ranks,
                                            long double egress, long double ingress) {
  std::vector<long double> left, end(puts.size(), -1);
  for (const Put& p : puts) left.push_back(p.bytes);
  long double now = 0;
  std::size_t started = 0;
  for (;;) {
    std::vector<Put> running;
    std::vector<std::size_t> token;
    for (std::size_t i = 0; i < started; ++i) {
      if (end[i] < 0) running.push_back(puts[i]), token.push_back(i);
    }
    const auto rate = rates_by_definition(running, ranks, egress, ingress);
    long double step = std::numeric_limits<long double>::infinity();
    if (started < puts.size()) step = puts[started].start - now;
    for (std::size_t i = 0; i < running.size(); ++i) step = std::min(step, left[token[i]] / rate[i]);
    if (std::isinf(step)) return end;
    now += step;
    for (std::size_t i = 0; i < running.size(); ++i) {
      left[token[i]] -= rate[i] * step;
      if (left[token[i]] < 1e-9L) end[token[i]] = now;
    }
    while (started < puts.size() && puts[started].start <= now) ++started;
  }
}

struct Case {
  std::uint32_t ranks;
  std::int64_t egress, ingress;
  std::vector<Put> puts;
};

Case random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  Case c;
  c.ranks = static_cast<std::uint32_t>(2 + below(7));
  c.egress = (50 + below(100)) * kGB;
  c.ingress = seed % 2 ? c.egress : (50 + below(100)) * kGB;
  const int count = static_cast<int>(5 + below(60));
  const std::int64_t caps[] = {13 * kGB, 29 * kGB, 1000 * kGB};
  std::int64_t date = 0;
  for (int i = 0; i < count; ++i) {
    if (below(3) > 0) date += below(20'000'000);  // some start together
    const auto src = static_cast<std::uint32_t>(below(c.ranks));
    const auto dst = static_cast<std::uint32_t>((src + 1 + below(c.ranks - 1)) % c.ranks);
    const std::int64_t bytes = below(4) == 0 ? 1'000'000 : 1 + below(2'000'000);  // some are equal
    c.puts.push_back({date, src, dst, bytes, caps[below(3)]});
  }
  return c;
}

}  // namespace

TEST_CASE(
    "dates of ends equal those of max-min filling by definition, rounded up, on random open-loop loads") {
  const long double noise = 0.01L;  // of a picosecond
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Case c = random_case(seed);
    const auto exact = ends_by_definition(c.puts, c.ranks, c.egress * 1e-12L, c.ingress * 1e-12L);
    const auto ends = run(*native(c.ranks, c.egress, c.ingress), c.puts);
    REQUIRE(ends.size() == c.puts.size());
    std::int64_t before = 0;
    for (const End& e : ends) {
      INFO("seed " << seed << ", flow " << e.token);
      REQUIRE(e.date >= exact[e.token] - noise);
      REQUIRE(e.date < exact[e.token] + 1 + noise);
      REQUIRE(e.date >= before);
      before = e.date;
    }
  }
}

TEST_CASE("no port and no cap is ever exceeded, and every byte is sent, on random loads") {
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    const Case c = random_case(seed);
    const auto network = native(c.ranks, c.egress, c.ingress);
    std::vector<std::uint32_t> ended;
    std::int64_t now = 0;
    long double sent = 0, received = 0, asked = 0;
    std::size_t next = 0, done = 0;
    while (done < c.puts.size()) {
      std::int64_t date = network->next_end().time_since_epoch().count();
      if (next < c.puts.size()) date = std::min(date, c.puts[next].start);
      for (std::uint32_t r = 0; r < c.ranks; ++r) {
        const RankId rank{r};
        REQUIRE(network->egress_rate(rank) <= c.egress * (1 + 1e-12));
        REQUIRE(network->ingress_rate(rank) <= c.ingress * (1 + 1e-12));
        sent += network->egress_rate(rank) * 1e-12L * (date - now);
        received += network->ingress_rate(rank) * 1e-12L * (date - now);
      }
      now = date;
      ended.clear();
      network->advance(at(now), ended);
      for (std::uint32_t token : ended) {
        const Put& p = c.puts[token];
        REQUIRE(now >= p.start + transfer_time({p.bytes}, {std::min({p.cap, c.egress, c.ingress})}).count());
      }
      done += ended.size();
      for (; next < c.puts.size() && c.puts[next].start == now; ++next) {
        const Put& p = c.puts[next];
        asked += p.bytes;
        network->start(at(now),
                       {RankId{p.src}, RankId{p.dst}, {p.bytes}, {p.cap}, static_cast<std::uint32_t>(next)});
      }
    }
    // Rates change up to a picosecond before the date at which they are seen.
    const long double per_end = (c.egress + c.ingress) * 1e-12L * c.ranks;
    CHECK(std::abs(sent - asked) <= per_end * c.puts.size());
    CHECK(std::abs(sent - received) <= 1e-6L);
    for (std::uint32_t r = 0; r < c.ranks; ++r) CHECK(network->egress_rate(RankId{r}) == 0);
  }
}
