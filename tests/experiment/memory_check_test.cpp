#include "sim/experiment/run/memory_check.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/core/machine_memory.h"

namespace a3sim {
namespace {

using Catch::Contains;

constexpr Bytes kMemory{6'000'000'000};

TEST_CASE("a run is refused as soon as the machine's memory cannot hold it") {
  constexpr std::uint64_t kMost = 10'000'000;  // of 600 bytes each
  CHECK_NOTHROW(check_memory("forward", kMost, MemoryOf::kRun, kMemory));
  CHECK_THROWS_AS(check_memory("forward", kMost + 1, MemoryOf::kRun, kMemory), RunError);
  CHECK_THROWS_WITH(
      check_memory("forward", 2 * kMost, MemoryOf::kRun, kMemory),
      Contains("forward: a run of 20 million tasks takes some 12.0 GB, and this machine has 6.0: "
               "take a smaller group"));
}

TEST_CASE("records take more memory than a run without, and compiling takes less") {
  constexpr std::uint64_t kTasks = 8'000'000;
  CHECK_NOTHROW(check_memory("x", kTasks, MemoryOf::kRun, kMemory));
  CHECK_THROWS_AS(check_memory("x", kTasks, MemoryOf::kRecordedRun, kMemory), RunError);
  CHECK_NOTHROW(check_memory("x", 2 * kTasks, MemoryOf::kCompilation, kMemory));
  CHECK_THROWS_WITH(check_memory("x", 4 * kTasks, MemoryOf::kCompilation, kMemory),
                    Contains("x: compiling 32"));
}

TEST_CASE("the machine has memory, and what is small fits") {
  CHECK(memory_of_machine().count > 100'000'000);
  CHECK(available_memory() > 1_MiB);
  CHECK(available_memory() <= memory_of_machine());
  CHECK_NOTHROW(check_memory("x", 1000, MemoryOf::kRecordedRun, memory_of_machine()));
}

}  // namespace
}  // namespace a3sim
