#include "sim/sweep/shard.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "sim/core/error.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

using Environment = std::map<std::string, std::string>;

std::optional<JobPlace> place_in(const Environment& environment) {
  return job_place([&](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  });
}

}  // namespace

TEST_CASE("every point belongs to one shard, and the shards differ by at most a point") {
  constexpr std::uint64_t kPoints = 1000;
  for (std::uint64_t count : {1U, 2U, 7U, 999U, 1000U, 1001U}) {
    std::vector<std::uint64_t> sizes(count, 0);
    std::vector<int> owners(kPoints, 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Shard shard = parse_shard(std::to_string(i) + '/' + std::to_string(count));
      for (std::uint64_t n = 0; n < kPoints; ++n) {
        owners[n] += shard.has(n);
        sizes[i] += shard.has(n);
      }
    }
    CHECK(std::ranges::count(owners, 1) == kPoints);
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    CHECK(*most - *least <= 1);
  }
}

TEST_CASE("what is no shard is refused with an example") {
  for (const char* text :
       {"", "1", "8/8", "9/8", "-1/8", "1/0", "a/b", "1/8/2", "1 /8", "/8", "0/", "0/100001"}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_shard(text), Contains("0/8 to 7/8"));
  }
}

TEST_CASE("a job knows its place from Slurm's arrays, Open MPI, PMI, or both") {
  CHECK_FALSE(place_in({}));
  CHECK_FALSE(place_in({{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "0"}}));
  const auto is = [](const Environment& environment, std::uint64_t index, std::uint64_t count) {
    const std::optional<JobPlace> place = place_in(environment);
    REQUIRE(place);
    CHECK(place->shard.index == index);
    CHECK(place->shard.count == count);
  };
  is({{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}, 3, 8);
  is({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, 1, 4);
  is({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}, 0, 2);
  // --array=5-17:4 is 5, 9, 13, 17.
  is({{"SLURM_ARRAY_TASK_ID", "13"},
      {"SLURM_ARRAY_TASK_COUNT", "4"},
      {"SLURM_ARRAY_TASK_MIN", "5"},
      {"SLURM_ARRAY_TASK_STEP", "4"}},
     2, 4);
  is({{"SLURM_ARRAY_TASK_ID", "1"},
      {"SLURM_ARRAY_TASK_COUNT", "2"},
      {"OMPI_COMM_WORLD_RANK", "2"},
      {"OMPI_COMM_WORLD_SIZE", "4"}},
     1 * 4 + 2, 2 * 4);
}

TEST_CASE("an environment that contradicts itself is refused") {
  CHECK_THROWS_AS(place_in({{"SLURM_ARRAY_TASK_ID", "8"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}), InputError);
  CHECK_THROWS_AS(place_in({{"SLURM_ARRAY_TASK_ID", "two"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}), InputError);
  CHECK_THROWS_AS(place_in({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}), InputError);
  CHECK_THROWS_AS(place_in({{"SLURM_ARRAY_TASK_ID", "6"},
                            {"SLURM_ARRAY_TASK_COUNT", "2"},
                            {"SLURM_ARRAY_TASK_MIN", "5"},
                            {"SLURM_ARRAY_TASK_STEP", "4"}}),
                  InputError);
}

TEST_CASE("a shard's database stands beside the one that all come together in") {
  CHECK(shard_file("runs/all.db", {2, 8}) == "runs/all.shard-2-of-8.db");
  CHECK(shard_file("all", {0, 2}) == "all.shard-0-of-2");
  CHECK(shard_file("all.db", {0, 1}) == "all.db");
}
