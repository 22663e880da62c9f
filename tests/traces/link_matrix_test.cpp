#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "sim/diagnosis/pages/profile_section.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "tests/traces/single_step.h"
#include "tests/traces/written_profile.h"
#include "traces/import/profiled_job.h"

// What communication_matrix.json says of the links between ranks.

using namespace a3sim;
using namespace a3sim::written;
using Catch::Matchers::Contains;

namespace {

constexpr int kSteps = 3;
constexpr double kStep = 50'000;  // microseconds
constexpr double kUsual = 20;     // GB/s = MB/ms
constexpr double kMegabytes = 100;

using Rates = std::function<double(int from, int to)>;

// A rank that computes, exchanges rows with nothing beside it, and computes again.
Rank expert_parallel_rank() {
  Rank rank;
  for (int step = 0; step < kSteps; ++step) {
    const double begin = step * kStep;
    for (const double start : {0.0, 30'000.0}) {
      Kernel kernel;
      kernel.step = step;
      kernel.type = "MatMulV2";
      kernel.start = begin + start;
      kernel.length = 10'000;
      rank.kernels.push_back(kernel);
    }
    rank.exchanges.push_back(
        {step, "hcom_alltoallv__868_0_1", "5868", begin + 10'000, 20'000, 20'000, 0, 3 * kMegabytes});
  }
  return rank;
}

std::string link(int from, int to, double rate, double megabytes = kMegabytes, const char* type = "HCCS") {
  return fmt::format(
      R"json("{}-{}":{{"Transport Type":"{}","Transit Size(MB)":{},"Transit Time(ms)":{},"Bandwidth(GB/s)":{}}})json",
      from, to, type, megabytes, megabytes / rate, rate);
}

// The matrix of one rank. `number` says what a rank is called in it; `own`: with its link to itself.
std::string matrix(int rank, int ranks, const Rates& rates, const std::function<int(int)>& number, bool own) {
  std::string links;
  const auto add = [&](const std::string& one) { links += (links.empty() ? "" : ",") + one; };
  for (int to = 0; to < ranks; ++to)
    if (to != rank) add(link(number(rank), number(to), rates(rank, to)));
  if (own) add(link(number(rank), number(rank), 500, 1, "LOCAL"));
  std::string text;
  for (int step = 0; step < kSteps; ++step)
    text += fmt::format(
        R"json({}"step{}":{{"p2p":{{}},"collective":{{"hcom_alltoallv_-total@5868":{{{}}},"hcom_alltoallv_-bottom1@5868":{{{}}}}}}})json",
        text.empty() ? "" : ",", step, links, link(number(rank), number((rank + 1) % ranks), 0.01));
  return "{" + text + "}";
}

Advice advised(
    const Rates& rates, const std::function<int(int)>& number = [](int rank) { return rank; },
    bool own = false, int first = 0) {
  constexpr int kRanks = 4;
  const ScratchDirectory folder;
  for (int rank = 0; rank < kRanks; ++rank) {
    write_rank(folder, first + rank, expert_parallel_rank(), Style::k80);
    folder.add(output(first + rank) + "/communication_matrix.json", matrix(rank, kRanks, rates, number, own));
  }
  return advise(ProfiledJob(folder.path()), book());
}

std::vector<const Finding*> links_of(const Advice& advice) {
  std::vector<const Finding*> found;
  for (const auto* list : {&advice.findings, &advice.infos})
    for (const Finding& finding : *list)
      if (finding.cause == "comm.link") found.push_back(&finding);
  return found;
}

}  // namespace

TEST_CASE(
    "communication_matrix.json: the page of a profile shows pairs of ranks, the slowest first and by its "
    "name") {
  const ScratchDirectory folder;
  constexpr int kRanks = 4;
  const Rates rates = [](int from, int to) { return from == 2 && to == 1 ? 5 : kUsual; };
  for (int rank = 0; rank < kRanks; ++rank) {
    write_rank(folder, rank, expert_parallel_rank(), Style::k80);
    folder.add(output(rank) + "/communication_matrix.json",
               matrix(rank, kRanks, rates, [](int number) { return number; }, false));
  }
  const ProfiledJob job(folder.path());
  Page page("job", "");
  add_profile(page, *job.profiled_time(), advise(job, book()));
  const std::string html = page.html("");
  CHECK_THAT(html, Contains("the slowest pair: from rank 2 to rank 1 over HCCS, at 0.25 of the usual rate"));
}

TEST_CASE("communication_matrix.json: a slow path between two ranks is named with its rate") {
  const Advice advice = advised([](int from, int to) { return from == 2 && to == 1 ? 5 : kUsual; });
  INFO(advice_text(advice));
  const auto links = links_of(advice);
  REQUIRE(links.size() == 1);
  using Path = std::pair<std::uint32_t, std::uint32_t>;
  CHECK(links[0]->links == std::vector<Path>{{2, 1}});
  CHECK(links[0]->factor == Approx(5 / kUsual));
  REQUIRE(links[0]->evidence.size() == 2);
  CHECK(links[0]->evidence[1].value == Approx(5));
  CHECK_THAT(links[0]->evidence[1].place.text, Contains("communication_matrix.json"));
}

TEST_CASE("communication_matrix.json: a rank all of whose sending is slow has slow ports") {
  const Advice advice = advised([](int from, int) { return from == 3 ? 8 : kUsual; });
  INFO(advice_text(advice));
  const auto links = links_of(advice);
  REQUIRE(links.size() == 1);
  CHECK(links[0]->ranks == std::vector<std::uint32_t>{3});
  CHECK(links[0]->side == "egress");
}

TEST_CASE("communication_matrix.json: equal links are no finding, nor are single slow calls") {
  const Advice advice = advised([](int from, int to) { return from < to ? kUsual : 0.9 * kUsual; });
  INFO(advice_text(advice));
  CHECK(links_of(advice).empty());
}

TEST_CASE("communication_matrix.json: numbers within a group become those of the job by ranks' own links") {
  // Ranks 4 to 7 are 0 to 3 in their group.
  const Advice advice = advised([](int from, int to) { return from == 2 && to == 1 ? 5 : kUsual; },
                                [](int rank) { return rank; }, true, 4);
  INFO(advice_text(advice));
  const auto links = links_of(advice);
  REQUIRE(links.size() == 1);
  using Path = std::pair<std::uint32_t, std::uint32_t>;
  CHECK(links[0]->links == std::vector<Path>{{6, 5}});
}

TEST_CASE("communication_matrix.json: whose numbers it has is asked for where nothing tells") {
  // One of four ranks was profiled beside another group's; its numbers may be those of the group.
  const ScratchDirectory folder;
  const auto equal = [](int, int) { return kUsual; };
  const auto same = [](int rank) { return rank; };
  for (const int rank : {0, 1}) write_rank(folder, rank, expert_parallel_rank(), Style::k80);
  folder.add(output(0) + "/communication_matrix.json", matrix(0, 4, equal, same, false));
  const ProfiledJob job(folder.path());
  REQUIRE(job.profiled_time());
  CHECK(job.profiled_time()->links.empty());
  CHECK(std::ranges::any_of(job.missing(), [](const Missing& missing) {
    return missing.needed_for.find("communication_matrix.json") != std::string::npos;
  }));
}
