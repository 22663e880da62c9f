#include "sim/core/closest.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace a3sim {
namespace {

TEST_CASE("The edit distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("hidden", "hiden") == 1);
  CHECK(edit_distance("hiden", "hidden") == 1);
  CHECK(edit_distance("egress", "ogress") == 1);
  CHECK(edit_distance("vectro", "vector") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("EP", "ep") == 0);
}

TEST_CASE("The nearest name is suggested, the first of equals, and none that shares nothing") {
  const std::vector<std::string> names = {"egress", "ingress", "hop_latency", "ep"};
  CHECK(closest("egres", names) == "egress");
  CHECK(closest("ingres", names) == "ingress");
  CHECK(closest("hop_latancy", names) == "hop_latency");
  CHECK(closest("latency", names) == "");
  CHECK(closest("xy", names) == "");
  CHECK(closest("", names) == "");
  CHECK(closest(std::string(100'000, 'x'), names) == "");
  const std::vector<std::string> equals = {"aac", "aab"};
  CHECK(closest("aad", equals) == "aac");
}

TEST_CASE("A suggestion lists the names when none is near") {
  const std::vector<std::string> names = {"cube", "vector"};
  CHECK(suggestion("cubes", names) == "; did you mean 'cube'?");
  CHECK(suggestion("host", names) == "; known: cube, vector");
  CHECK(suggestion("host", {}) == "");
}

}  // namespace
}  // namespace a3sim
