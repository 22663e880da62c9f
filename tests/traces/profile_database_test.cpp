#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "tests/traces/single_step.h"
#include "tests/traces/written_database.h"
#include "traces/import/profile.h"
#include "traces/import/profiled_job.h"

// Profiles that were exported as SQLite say what the same profile says in tables.

using namespace a3sim;
using namespace a3sim::written;
using Catch::Matchers::Contains;

namespace {

constexpr double kDatabaseStep = 140'000;

Rank data_parallel_rank() {
  Rank rank;
  for (int step = 0; step < 3; ++step) {
    for (const auto& [type, start, length] :
         {std::tuple("MatMulV2", 0.0, 20'000.0), std::tuple("FlashAttentionScore", 20'000.0, 14'000.0)}) {
      Kernel kernel;
      kernel.step = step;
      kernel.type = type;
      kernel.start = step * kDatabaseStep + start;
      kernel.length = length;
      kernel.scalar = 0.25;
      rank.kernels.push_back(kernel);
    }
    Exchange exchange;
    exchange.step = step;
    exchange.name = fmt::format("hcom_allReduce__868_{}_1", step);
    exchange.group = "1311868";
    exchange.start = step * kDatabaseStep + 34'000;
    exchange.length = 102'000;
    exchange.transfer = 60'000;
    exchange.megabytes = 1200;
    rank.exchanges.push_back(exchange);
    rank.calls.push_back({"AscendCL@aclrtSynchronizeStream", step * kDatabaseStep + 5'000, 130'000});
    rank.steps.push_back({step, 34'000, 102'000, 0, 4'000});
  }
  return rank;
}

}  // namespace

TEST_CASE("a profile as SQLite says what the same profile says in tables") {
  const ScratchDirectory tables, databases, alone;
  for (const int number : {0, 1}) {
    write_rank(tables, number, data_parallel_rank());
    write_databases(databases, number, data_parallel_rank(), kDatabaseStep, true);
    write_databases(alone, number, data_parallel_rank(), kDatabaseStep, false);
  }
  const Advice expected = advise(ProfiledJob(tables.path()), book());
  for (const ScratchDirectory* folder : {&databases, &alone}) {
    const Advice advice = advise(ProfiledJob(folder->path()), book());
    INFO(advice_text(advice));
    CHECK(advice.ranks == 2);
    CHECK(advice.steps == 3);
    REQUIRE_FALSE(advice.findings.empty());
    CHECK(advice.findings.front().cause == expected.findings.front().cause);
    CHECK(advice.findings.front().lost_ms == Approx(expected.findings.front().lost_ms));
    REQUIRE(advice.time.size() == 2);
    CHECK(advice.time[0].computing == Approx(expected.time[0].computing));
    CHECK(advice.time[0].waiting == Approx(expected.time[0].waiting));
    // Without analysis.db the ranks' own times tell that neither waits, and not what moves bytes.
    const double moves = folder == &databases ? 60 : 102;
    CHECK(advice.time[0].transferring == Approx(moves));
    CHECK(advice.groups.front().ranks == std::vector<std::uint32_t>{0, 1});
  }
  const ProfiledJob job(databases.path());
  const ProfiledTime& time = *job.profiled_time();
  REQUIRE(time.kernels.size() == 4);
  CHECK(time.kernels.front().busy(Pipe::kVectorScalar) == Approx(0.25));
}

TEST_CASE("sums of a profile as SQLite are those of its tables") {
  const ScratchDirectory tables, databases;
  write_rank(tables, 0, data_parallel_rank());
  write_databases(databases, 0, data_parallel_rank(), kDatabaseStep, true);
  const Profile a = read_profile(tables.path()), b = read_profile(databases.path());
  CHECK(a.by_type().at("MatMulV2").total == b.by_type().at("MatMulV2").total);
  CHECK(b.ranks.at(0).steps->exposed == a.ranks.at(0).steps->exposed);
  CHECK(b.ranks.at(0).exchanges.at("hcom_allReduce").transit ==
        a.ranks.at(0).exchanges.at("hcom_allReduce").transit);
}

TEST_CASE("a file that only has the name of a profiler's database is refused") {
  const ScratchDirectory folder;
  folder.add(output(0) + "/ascend_pytorch_profiler_0.db",
             "no database, but a text that is long enough to be one");
  CHECK_THROWS_AS(ProfiledJob(folder.path()), InputError);
  CHECK_THROWS_WITH(ProfiledJob(folder.path()),
                    Contains("ascend_pytorch_profiler_0.db: cannot be read as a profiler's database"));
}
