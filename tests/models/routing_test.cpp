#include "models/routing/routing.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "sim/core/error.h"
#include "sim/core/ids.h"

using namespace a3sim;

namespace {

constexpr MoeShape kRoutedShape{
    .tokens = 30, .hidden = 8, .intermediate = 8, .top_k = 3, .experts_per_rank = 4, .ep = 2};

// A file that lives as long as the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("a3sim_counts_" + std::to_string(getpid()) + ".csv")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  RoutingSpec spec() const { return {.kind = "file", .file = path_.string()}; }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::uint64_t rows_of(const RoutingCounts& counts, std::uint32_t src) {
  const auto source = counts.source(src);
  return std::accumulate(source.begin(), source.end(), std::uint64_t{0});
}

void check_contract(const RoutingSpec& spec, const MoeShape& shape) {
  const RoutingGenerator& generator = Routings::get(spec.kind);
  const RoutingCounts counts = route(spec, shape);
  CHECK(counts == route(spec, shape));
  CHECK(counts == generator.RoutingGenerator::counts(spec, shape));
  for (std::uint32_t src = 0; src < shape.ep; ++src) {
    const std::vector<std::uint32_t> experts = generator.assign(spec, shape, src);
    REQUIRE(experts.size() == shape.tokens * shape.top_k);
    for (std::size_t token = 0; token < experts.size(); token += shape.top_k) {
      std::set<std::uint32_t> different;
      std::size_t entries = 0;
      for (std::size_t slot = token; slot < token + shape.top_k; ++slot) {
        if (experts[slot] == kNone) continue;
        CHECK(experts[slot] < shape.experts());
        different.insert(experts[slot]);
        ++entries;
      }
      CHECK(different.size() == entries);
    }
  }
}

}  // namespace

TEST_CASE("Every registered routing sends a token to different experts, the same every time") {
  const TemporaryFile file("30,0,30,0,15,15,0,0\n0,0,0,0,0,0,0,0\n");
  for (const auto& [kind, item] : Routings::all()) {
    INFO(kind);
    check_contract({.kind = kind, .seed = 7, .skew = 1.2, .file = file.path()}, kRoutedShape);
  }
}

TEST_CASE("Balanced routing gives each expert the slots that are its number modulo the experts") {
  const auto ep = GENERATE(1U, 2U, 3U, 7U);
  MoeShape shape = kRoutedShape;
  shape.ep = ep;
  const RoutingCounts counts = route({}, shape);
  for (std::uint32_t r = 0; r < ep; ++r) {
    for (std::uint32_t expert = 0; expert < shape.experts(); ++expert) {
      std::uint32_t expected = 0;
      for (std::uint32_t t = 0; t < shape.tokens; ++t) {
        for (std::uint32_t j = 0; j < shape.top_k; ++j) {
          if (((r * shape.tokens + t) * shape.top_k + j) % shape.experts() == expert) ++expected;
        }
      }
      CHECK(counts.at(r, expert) == expected);
    }
  }
}

TEST_CASE("Balanced counts of half a million slots take far less than 10 ms") {
  constexpr MoeShape kPaper{
      .tokens = 4096, .hidden = 7168, .intermediate = 2048, .top_k = 8, .experts_per_rank = 8, .ep = 16};
  const auto start = std::chrono::steady_clock::now();
  const RoutingCounts counts = route({}, kPaper);
  const auto taken = std::chrono::steady_clock::now() - start;
  CHECK(taken < std::chrono::milliseconds(5));
  CHECK(counts.at(15, 127) == 4096 * 8 / 128);
}

TEST_CASE("Sampled routing follows seed and skew") {
  const RoutingCounts flat = route({.kind = "sampled", .seed = 1, .skew = 0}, kRoutedShape),
                      skewed = route({.kind = "sampled", .seed = 1, .skew = 3}, kRoutedShape);
  CHECK(flat != route({.kind = "sampled", .seed = 2, .skew = 0}, kRoutedShape));
  const auto largest = [](const RoutingCounts& counts) {
    const auto source = counts.source(0);
    return *std::max_element(source.begin(), source.end());
  };
  CHECK(largest(flat) < largest(skewed));
  for (std::uint32_t src = 0; src < kRoutedShape.ep; ++src)
    CHECK(rows_of(skewed, src) == kRoutedShape.tokens * kRoutedShape.top_k);
  // The most popular expert is the same for all ranks, and almost every token goes there.
  const auto first = skewed.source(0), second = skewed.source(1);
  CHECK(std::max_element(first.begin(), first.end()) - first.begin() ==
        std::max_element(second.begin(), second.end()) - second.begin());
  CHECK(largest(skewed) > kRoutedShape.tokens * 9 / 10);
}

TEST_CASE("Two draws without replacement have the frequencies of a closed form") {
  // Two of three experts with weights 1, 1/2, 1/3: the odds that an expert is among them.
  constexpr MoeShape kLarge{
      .tokens = 60000, .hidden = 1, .intermediate = 1, .top_k = 2, .experts_per_rank = 3, .ep = 1};
  const RoutingCounts counts = route({.kind = "sampled", .seed = 11, .skew = 1}, kLarge);
  const double weights[] = {6, 3, 2}, total = 11;
  std::vector<double> expected;
  for (int i = 0; i < 3; ++i) {
    double odds = weights[i] / total;
    for (int j = 0; j < 3; ++j) {
      if (j != i) odds += weights[j] / total * weights[i] / (total - weights[j]);
    }
    expected.push_back(odds * kLarge.tokens);
  }
  std::vector<double> found(counts.source(0).begin(), counts.source(0).end());
  std::sort(found.rbegin(), found.rend());
  // Five standard deviations of a fair coin.
  const double margin = 5 * std::sqrt(kLarge.tokens / 4.0);
  for (int i = 0; i < 3; ++i) CHECK(found[i] == Approx(expected[i]).margin(margin));
}

TEST_CASE("A skew that is no number from 0, or more experts per token than there are, is refused") {
  CHECK_THROWS_AS(route({.kind = "sampled", .seed = 1, .skew = -0.5}, kRoutedShape), InputError);
  CHECK_THROWS_AS(
      route({.kind = "sampled", .seed = 1, .skew = std::numeric_limits<double>::infinity()}, kRoutedShape),
      InputError);
  MoeShape shape = kRoutedShape;
  shape.top_k = shape.experts();
  CHECK_NOTHROW(route({}, shape));
  shape.top_k = shape.experts() + 1;
  CHECK_THROWS_WITH(route({}, shape), Catch::Contains("9 different experts of 8"));
  CHECK_THROWS_WITH(
      route({.kind = "bogus"}, kRoutedShape),
      Catch::Contains(
          "known: balanced, bursts, drifting, file, hot_expert, hot_rank, lognormal, long_tail, mixed, "
          "ragged, recorded, rotating, sampled"));
}

TEST_CASE("An extreme skew still finds different experts for every token") {
  check_contract({.kind = "sampled", .seed = 3, .skew = 100}, kRoutedShape);
}

TEST_CASE("Counts are read from a file, blanks and empty lines aside") {
  const TemporaryFile file("1,2, 3 ,4,5,6,7,8\r\n\n0,0,0,0,0,0,0,30");
  const RoutingCounts counts = route(file.spec(), kRoutedShape);
  CHECK(counts.at(0, 2) == 3);
  CHECK(counts.at(0, 7) == 8);
  CHECK(counts.at(1, 7) == kRoutedShape.tokens);
  CHECK(rows_of(counts, 1) == kRoutedShape.tokens);
}

TEST_CASE("Counts of many micro-batches follow one another in a file") {
  const TemporaryFile file("1,0,0,0,0,0,0,0\n2,0,0,0,0,0,0,0\n\n3,0,0,0,0,0,0,0\n4,0,0,0,0,0,0,0\n");
  RoutingSpec spec = file.spec();
  spec.kind = "recorded";
  for (const std::uint32_t batch : {0U, 1U}) {
    spec.micro_batch = batch;
    CHECK(route(spec, kRoutedShape).at(0, 0) == 1 + 2 * batch);
    CHECK(route(spec, kRoutedShape).at(1, 0) == 2 + 2 * batch);
  }
  spec.micro_batch = 2;
  CHECK_THROWS_WITH(route(spec, kRoutedShape),
                    Catch::Contains(":6:1: the file ends before micro-batch 3, of 2 lines each"));
}

TEST_CASE("A wrong file of counts is refused with file, line, column and what was expected") {
  struct Wrong {
    std::string text, place, what;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {"1,2,3,4,5,6,7\n", ":1:14: ", "7 counts, expected one for each of 8 experts"},
      {"1,2,3,4,5,6,7,8,9\n", ":1:17: ", "more than 8 counts"},
      {"1,2,3,4,5,6,7,8\n", ":2:1: ", "1 lines, expected one for each of 2 ranks"},
      {"0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0\n", ":3:1: ", "the group has 2 ranks"},
      {"1,-2,3,4,5,6,7,8\n", ":1:3: ", "'-2' is not a number of rows"},
      {"1,2,x,4,5,6,7,8\n", ":1:5: ", "'x' is not a number of rows"},
      {"1,2,,4,5,6,7,8\n", ":1:5: ", "'' is not a number of rows"},
      {"1,2,3.5,4,5,6,7,8\n", ":1:5: ", "'3.5' is not a number of rows"},
      {"31,0,0,0,0,0,0,0\n", ":1:1: ", "31 rows to one expert, but the rank has 30 tokens"},
      {"99999999999,0,0,0,0,0,0,0\n", ":1:1: ", "99999999999 rows to one expert"},
      {"30,30,30,1,0,0,0,0\n", ":1:1: ", "source 0 sends 91 rows; 30 tokens to 3 experts each are 90"},
  }));
  const TemporaryFile file(wrong.text);
  CHECK_THROWS_WITH(route(file.spec(), kRoutedShape),
                    Catch::StartsWith(file.path() + wrong.place) && Catch::Contains(wrong.what));
}

TEST_CASE("A file of counts that is not there is named") {
  CHECK_THROWS_WITH(route({.kind = "file", .file = "/nowhere/counts.csv"}, kRoutedShape),
                    Catch::Contains("/nowhere/counts.csv: cannot be read"));
}
