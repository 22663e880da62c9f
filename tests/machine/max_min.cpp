#include "sim/network/max_min.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sim/network/cable_max_min.h"

using namespace a3sim;

namespace {

constexpr BytesPerSecond kPortRate{100'000'000'000};
constexpr BytesPerSecond kWideRate{10'000'000'000'000};

// A network's solver and how many classes it was given.
template <class Rates>
struct Solver {
  explicit Solver(const NetworkSpec& spec) : rates(spec) {}
  // Adds a class with one flow.
  void add(std::uint32_t from, std::uint32_t to, BytesPerSecond cap) {
    rates.add(classes, from, to, cap, 0);
    rates.join(classes++);
  }
  Rates rates;
  std::uint32_t classes = 0;
};

}  // namespace

TEMPLATE_TEST_CASE("symmetric flows have bit-identical rates, whichever port was filled first", "", MaxMin,
                   CableMaxMin) {
  for (std::uint32_t n = 2; n <= 40; ++n) {
    Solver<TestType> all_to_all({std::vector(n, kPortRate), std::vector(n, kPortRate)});
    for (std::uint32_t src = 0; src < n; ++src) {
      for (std::uint32_t k = 1; k < n; ++k) all_to_all.add(src, (src + k) % n, kWideRate);
    }
    all_to_all.rates.solve();
    INFO(n << " ranks");
    for (std::uint32_t c = 0; c < all_to_all.classes; ++c)
      REQUIRE(all_to_all.rates.rate(c) == all_to_all.rates.rate(0));
    CHECK(all_to_all.rates.rate(0) == Approx(0.1 / (n - 1)).epsilon(1e-12));
  }
}

TEMPLATE_TEST_CASE("symmetric flows have bit-identical rates among ports of very unlike capacities", "",
                   MaxMin, CableMaxMin) {
  // Every rank sends to every other over three planes of its own; of a die's planes one is far wider than the
  // others. Flows in one plane are symmetric, whatever their number is.
  for (std::uint32_t n : {2u, 3u, 16u, 100u, 384u}) {
    constexpr std::uint32_t kPlanes = 3;
    const std::int64_t capacities[kPlanes] = {1'000'000'000'000'000, 196'000'000'000, 25'000'001};
    NetworkSpec spec;
    for (std::uint32_t p = 0; p < n * kPlanes; ++p) spec.egress.push_back({capacities[p % kPlanes]});
    spec.ingress = spec.egress;
    Solver<TestType> network(spec);
    for (std::uint32_t from = 0; from < n; ++from) {
      for (std::uint32_t k = 1; k < n; ++k) {
        const std::uint32_t to = (from + k) % n, plane = (from + to) % 2;
        network.add(from * kPlanes + plane, to * kPlanes + plane, kWideRate);
        network.add(from * kPlanes + 2, to * kPlanes + 2, kWideRate);
      }
    }
    network.rates.solve();
    INFO(n << " ranks");
    const double slowest = 25'000'001e-12 / (n - 1);
    for (std::uint32_t c = 1; c < network.classes; c += 2) {
      REQUIRE(network.rates.rate(c) == Approx(slowest).epsilon(1e-12));
      REQUIRE(network.rates.rate(c) == network.rates.rate(1));
    }
  }
}

TEMPLATE_TEST_CASE("what rounding makes of ports nearly full of others does not part symmetric flows", "",
                   MaxMin, CableMaxMin) {
  // Ten caps fill each ingress port, from another number of egress ports each, but for a hundred-thousandth. It is
  // left to one wide flow a port, and is the same at all, though sums in doubles are not.
  constexpr std::uint32_t kCaps = 10, kFlows = 2520;
  constexpr std::int64_t kLeft = 1'100'000;
  const auto cap = [](std::uint32_t k) { return 1'000'003 + std::int64_t{7'919} * k; };
  std::int64_t capacity = kLeft;
  for (std::uint32_t k = 0; k < kCaps; ++k) capacity += kFlows * cap(k);
  Solver<TestType> network({std::vector(kCaps + 1, kWideRate), std::vector(kCaps, BytesPerSecond{capacity})});
  for (std::uint32_t to = 0; to < kCaps; ++to) {
    const std::uint32_t sources = to + 1;
    for (std::uint32_t k = 0; k < kCaps; ++k) {
      for (std::uint32_t from = 0; from < sources; ++from) {
        network.add(from, to, {cap(k)});
        for (std::uint32_t more = 1; more < kFlows / sources; ++more) network.rates.join(network.classes - 1);
      }
    }
  }
  const std::uint32_t wide = network.classes;
  for (std::uint32_t to = 0; to < kCaps; ++to) network.add(kCaps, to, kWideRate);
  network.rates.solve();
  CHECK(network.rates.rate(wide) == Approx(kLeft * 1e-12).epsilon(1e-8));
  for (std::uint32_t to = 1; to < kCaps; ++to)
    CHECK(network.rates.rate(wide + to) == network.rates.rate(wide));
}

TEMPLATE_TEST_CASE(
    "classes of one route with several caps share its ports, and what one had goes to the others", "", MaxMin,
    CableMaxMin) {
  Solver<TestType> network({std::vector(3, kPortRate), std::vector(3, kPortRate)});
  const std::int64_t caps[] = {10'000'000'000, 20'000'000'000, 30'000'000'000, kWideRate.count};
  for (std::int64_t cap : caps) network.add(0, 1, {cap});
  network.add(2, 1, kWideRate);
  network.rates.solve();
  // 100 = 10 + 20 + 30 at the port of 0 leave 40; at the port of 1, 10 and 20 leave 70 for three: 23.3 each.
  const double fair = 0.07 / 3;
  CHECK(network.rates.rate(0) == 0.01);
  CHECK(network.rates.rate(1) == 0.02);
  for (std::uint32_t c : {2u, 3u, 4u}) CHECK(network.rates.rate(c) == Approx(fair).epsilon(1e-12));
  for (std::uint32_t c : {1u, 2u}) {
    network.rates.leave(c);
    network.rates.remove(c);
  }
  network.rates.solve();
  // Left are the caps 10 and none of route 0 -> 1, and 2 -> 1.
  CHECK(network.rates.rate(0) == 0.01);
  for (std::uint32_t c : {3u, 4u}) CHECK(network.rates.rate(c) == Approx(0.045).epsilon(1e-12));
}

// What makes rates max-min fair: no port carries more than it can, and every flow runs at its cap or goes through a full
// port at which none is faster.
TEMPLATE_TEST_CASE(
    "after any change of flows and capacities every flow is held by its cap or a full port where none is "
    "faster",
    "", MaxMin, CableMaxMin) {
  constexpr std::uint32_t kPorts = 60;
  constexpr double kNear = 1e-11;
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::int64_t caps[] = {14'000'000'000, 20'000'000'000, kWideRate.count};
  struct Class {
    std::uint32_t from, to;
    double cap;
    int flows;
  };
  std::vector<double> egress(kPorts, 0.1), ingress(kPorts, 0.1);
  TestType network({std::vector(kPorts, kPortRate), std::vector(kPorts, kPortRate)});
  std::vector<Class> classes;
  for (int step = 0; step < 4000; ++step) {
    // More arrive than leave at first, and fewer at last.
    if (below(4000) > static_cast<std::uint32_t>(step) || classes.size() < 50) {
      const BytesPerSecond cap{caps[below(3)]};
      const auto c = static_cast<std::uint32_t>(classes.size());
      classes.push_back({below(kPorts), below(kPorts) * below(kPorts) / kPorts, per_picosecond(cap), 1});
      network.add(c, classes[c].from, classes[c].to, cap, 0);
      network.set_left(c, 1);
      network.join(c);
    } else if (Class& leaving = classes[below(static_cast<std::uint32_t>(classes.size()))];
               leaving.flows > 0) {
      const auto c = static_cast<std::uint32_t>(&leaving - classes.data());
      network.leave(c);
      if (--leaving.flows == 0) network.remove(c);
    }
    if (below(100) == 0) {
      const std::uint32_t port = below(kPorts);
      const BytesPerSecond capacity{1'000'000'000 * (1 + below(200))};
      ingress[port] = per_picosecond(capacity);
      network.set_ingress(port, capacity);
    }
    if (below(3) == 0) continue;  // several changes at a time
    network.solve();
    std::vector<double> out(kPorts, 0), in(kPorts, 0), fastest_out(kPorts, 0), fastest_in(kPorts, 0);
    for (std::uint32_t c = 0; c < classes.size(); ++c) {
      const auto& [from, to, cap, flows] = classes[c];
      if (flows == 0) continue;
      const double rate = network.rate(c);
      out[from] += rate * flows;
      in[to] += rate * flows;
      fastest_out[from] = std::max(fastest_out[from], rate);
      fastest_in[to] = std::max(fastest_in[to], rate);
    }
    for (std::uint32_t p = 0; p < kPorts; ++p) {
      REQUIRE(out[p] <= egress[p] * (1 + kNear));
      REQUIRE(in[p] <= ingress[p] * (1 + kNear));
      REQUIRE(network.egress_rate(p) == Approx(out[p]).margin(1e-13));
      REQUIRE(network.ingress_rate(p) == Approx(in[p]).margin(1e-13));
    }
    for (std::uint32_t c = 0; c < classes.size(); ++c) {
      const auto& [from, to, cap, flows] = classes[c];
      if (flows == 0) continue;
      const double rate = network.rate(c) * (1 + kNear);
      const bool held_out = out[from] >= egress[from] * (1 - kNear) && rate >= fastest_out[from];
      const bool held_in = in[to] >= ingress[to] * (1 - kNear) && rate >= fastest_in[to];
      INFO("step " << step << ", class " << c);
      REQUIRE((rate >= cap || held_out || held_in));
    }
  }
}
