#include "sim/check/data_matrix.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "tests/check/small.h"

using namespace a3sim;

namespace {

constexpr std::size_t kWays = 8, kPartitionings = 2, kOrders = 8;
const std::filesystem::path kFile = configs_folder() / "experiments" / "ep4.yaml";

// One expert a token, most of them the popular ones: many have no rows.
const std::vector<std::string> kSkewedRouting = {"model.top_k=1", "routing.kind=sampled", "routing.seed=3",
                                                 "routing.skew=3"};

std::vector<DataCase> cases_at(const char* ep, std::vector<std::string> set) {
  set.push_back(std::string("parallel.ep=") + ep);
  return cases_of_all_ways(kFile, set, kDataSeed);
}

}  // namespace

TEST_CASE(
    "the ways of running are static, dynamic and kernels in one stream or two, one-sided and collective "
    "where there is one") {
  const std::vector<DataCase> cases = cases_at("2", {});
  std::set<std::pair<std::string, Transport>> ways;
  for (const DataCase& data_case : cases)
    ways.insert({data_case.experiment.run.execution, data_case.experiment.run.transport});
  CHECK(cases.size() == kWays * kPartitionings);
  CHECK(ways.size() == kWays);
  CHECK(ways.count({"dynamic", Transport::kCollective}) == 0);
  CHECK(under_shipped_orders(cases).size() == kOrders * cases.size());
}

TEST_CASE("every order gives the right results in every way of running, also to experts without rows",
          "[slow]") {
  const char* const ep = GENERATE("2", "4");
  for (const auto& routing : {std::vector<std::string>{}, kSkewedRouting}) {
    INFO("EP " << ep << (routing.empty() ? ", balanced" : ", skewed"));
    const std::vector<DataCase> cases = under_shipped_orders(cases_at(ep, routing));
    CHECK((idle_experts(cases.front()) > 0) == !routing.empty());
    CHECK(check_matrix(cases, kDataSeed, {}, 2).faults.empty());
  }
}

TEST_CASE("the same at EP 8", "[slow]") {
  for (const auto& routing : {std::vector<std::string>{}, kSkewedRouting})
    CHECK(check_matrix(under_shipped_orders(cases_at("8", routing)), kDataSeed, {}, 2).faults.empty());
}

TEST_CASE(
    "a matrix names the order and the way whose results are wrong, and is the same of any number of "
    "threads") {
  std::vector<DataCase> cases = cases_at("2", {});
  cases[2].routed.weights[0][0] = std::numeric_limits<float>::quiet_NaN();  // whatever it weighs is no number
  const DataFindings one = check_matrix(cases, kDataSeed, {}, 1),
                     four = check_matrix(cases, kDataSeed, {}, 4);
  CHECK(one.report.text() == four.report.text());
  CHECK(one.faults == four.faults);
  REQUIRE(!one.faults.empty());
  for (const std::string& fault : one.faults)
    CHECK_THAT(fault, Catch::StartsWith("order published, static, collective: "));
  CHECK(std::ranges::count(one.report.text(), '\n') == static_cast<std::ptrdiff_t>(1 + cases.size()));
}
