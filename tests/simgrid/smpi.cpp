#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/machine/network_fixture.h"

using namespace a3sim;
using namespace a3sim::testing;

namespace {

constexpr std::int64_t kLink = 196 * kGB;  // of cluster.xml, each way
// SMPI sends 16 bytes with each message of the program's: a barrier of 16 ranks alone takes 2 x 15 x 16
// bytes.
constexpr std::int64_t kEnvelope = 16;

struct Collective {
  std::vector<Put> puts;
  std::map<std::uint32_t, double> ends;  // by rank, seconds
};

// What collectives.c prints.
std::map<std::string, Collective> read_collectives(const char* path) {
  std::map<std::string, Collective> read;
  std::ifstream file(path);
  std::string name;
  std::uint32_t from = 0, to = 0;
  std::int64_t bytes = 0;
  double ready = 0, end = 0;
  while (file >> name >> from >> to >> bytes >> ready >> end) {
    // Times count from when the ranks are ready, which all are at once.
    read[name].puts.push_back({0, from, to, bytes + kEnvelope, kLink});
    read[name].ends[to] = end - ready;
  }
  return read;
}

}  // namespace

TEST_CASE(
    "each rank leaves SMPI's all-to-alls within a picosecond of its last transfer in the native network",
    "[.smpi]") {
  const char* path = std::getenv("SMPI_RESULTS");
  REQUIRE(path);
  const auto collectives = read_collectives(path);
  REQUIRE(collectives.size() == 2);
  for (const auto& [name, collective] : collectives) {
    INFO(name);
    REQUIRE(collective.puts.size() == 16 * 15);
    std::map<std::uint32_t, std::int64_t> last;
    for (const End& e : run(*create("native", 16, kLink, kLink), collective.puts)) {
      for (std::uint32_t rank : {collective.puts[e.token].from, collective.puts[e.token].to})
        last[rank] = std::max(last[rank], e.time);
    }
    for (const auto& [rank, end] : collective.ends) {
      INFO("rank " << rank);
      CHECK(1e12 * end == Approx(static_cast<double>(last[rank])).margin(1.1).epsilon(0));
    }
  }
}
