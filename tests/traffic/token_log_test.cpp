#include "models/traffic/token_log.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/traffic/json_record.h"
#include "sim/core/error.h"
#include "sim/core/rng.h"
#include "tests/scratch_directory.h"
#include "traces/formats/gzip.h"

using namespace a3sim;

namespace {

bool operator_equal(const TokenRow& a, const TokenRow& b) {
  return a.layer == b.layer && a.request == b.request && a.token == b.token && a.experts == b.experts &&
         a.weights == b.weights;
}

struct Collected {
  std::vector<TokenRow> tokens;
  std::vector<CountRow> counts;
  LogMeta meta;
};

Collected read(const std::filesystem::path& file) {
  Collected all;
  all.meta = read_log(file, {[&](const TokenRow& row) { all.tokens.push_back(row); },
                             [&](const CountRow& row) { all.counts.push_back(row); }});
  return all;
}

std::string error_of_log(const std::filesystem::path& file) {
  try {
    read(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// What the parser of JSON makes of a line; nullopt if it is refused.
std::optional<std::vector<TokenRow>> by_parser(const std::string& line) {
  std::vector<TokenRow> rows;
  LogMeta meta;
  const auto value = nlohmann::json::parse(line, nullptr, false);
  if (value.is_discarded()) return {};
  try {
    read_record(value, 0, {[&](const TokenRow& row) { rows.push_back(row); }, [](const CountRow&) {}}, meta);
  } catch (const std::invalid_argument&) {
    return {};
  }
  return rows;
}

void check_same(const std::string& line) {
  INFO(line);
  TokenRow row;
  bool scanned = false;
  try {
    scanned = scan_token_row(line, row);
  } catch (const std::invalid_argument&) {
    CHECK(!by_parser(line));
    return;
  }
  if (!scanned) return;
  const auto parsed = by_parser(line);
  REQUIRE(parsed);
  REQUIRE(parsed->size() == 1);
  CHECK(operator_equal(parsed->front(), row));
}

const std::string kRow =
    R"({"type": "route", "req_id": "r1", "token_idx": 3, "layer": 2, "topk_ids": [43, 5, 7], "topk_weights": [0.0967, 0.05, 3e-2]})";

}  // namespace

TEST_CASE("Lines that are scanned give what a parser of JSON gives") {
  TokenRow row;
  REQUIRE(scan_token_row(kRow, row));
  CHECK(row.experts == std::vector<std::uint32_t>{43, 5, 7});
  CHECK(row.layer == 2);
  CHECK(row.token == 3);
  for (const char* line : {R"({"layer":0,"topk_ids":[1]})",
                           R"({"topk_ids":[]})",
                           R"({"topk_ids":[-1,-1]})",
                           R"({"topk_ids":[3,-1],"topk_weights":[0.5,0]})",
                           R"({"topk_ids":[3,4],"topk_weights":[0,0.0]})",
                           R"({"topk_ids":[3,3]})",
                           R"({"topk_ids":[3],"topk_ids":[4]})",
                           R"({"topk_ids":[03]})",
                           R"({"topk_ids":[3.0]})",
                           R"({"topk_ids":[1e1]})",
                           R"({"topk_ids":[3],})",
                           R"({"topk_ids":[3,]})",
                           R"({"topk_ids":[3]} x)",
                           R"({"topk_ids":[3],"topk_weights":[.5]})",
                           R"({"topk_ids":[3],"topk_weights":[5.]})",
                           R"({"topk_ids":[3],"topk_weights":[-0.0]})",
                           R"({"topk_ids":[3],"req_id":"a\"b"})",
                           R"({"topk_ids":[3],"req_id":7})",
                           R"({"topk_ids":[99999]})",
                           R"({"topk_ids":[3],"layer":-1})",
                           R"({"topk_ids":[3],"topk_weights":[1e999]})",
                           R"({"topk_ids":[3],"token_idx":12345678901234567890})",
                           R"({"topk_ids":[[3],[4]]})",
                           R"({"type":"meta","topk_ids":[3]})",
                           R"({"topk_ids":[3],"topk_weights":[inf]})",
                           R"({"topk_ids":[3],"topk_weights":[nan]})",
                           R"({"topk_ids":[+3]})"})
    check_same(line);
}

TEST_CASE("Lines changed at random give the same by the scanner and by a parser") {
  Rng rng(5);
  const std::string letters = "{}[]\",:0123456789.-+eE tidx\\\n\r";
  for (int i = 0; i < 20'000; ++i) {
    std::string line = kRow;
    for (std::uint32_t c = 0, changes = 1 + rng.below(3); c < changes; ++c) {
      const std::uint32_t at = rng.below(static_cast<std::uint32_t>(line.size()));
      const char letter = letters[rng.below(static_cast<std::uint32_t>(letters.size()))];
      switch (rng.below(3)) {
        case 0:
          line[at] = letter;
          break;
        case 1:
          line.erase(at, 1);
          break;
        default:
          line.insert(at, 1, letter);
      }
    }
    check_same(line);
  }
}

TEST_CASE("A log is read from JSON lines, packed or not, with its meta line") {
  const ScratchDirectory scratch;
  const std::string text =
      "{\"type\": \"meta\", \"model_id\": \"m\", \"top_k\": 3, \"num_experts\": 60, \"layers_logged\": "
      "[2]}\n" +
      kRow + "\n\n" + kRow + "\n";
  for (const auto& file : {scratch.add("log.jsonl", text), scratch.add("log.jsonl.gz", gzip(text))}) {
    CHECK(is_traffic_log(file));
    const Collected all = read(file);
    CHECK(all.tokens.size() == 2);
    CHECK(all.meta.model == "m");
    CHECK(all.meta.experts == 60);
    CHECK(all.meta.layers_logged == std::vector<std::uint32_t>{2});
    CHECK(!all.meta.cut_off);
  }
}

TEST_CASE("A last line that was cut off is left out, any other one is an error with its line") {
  const ScratchDirectory scratch;
  const Collected all = read(scratch.add("cut.jsonl", kRow + "\n" + kRow.substr(0, 50)));
  CHECK(all.tokens.size() == 1);
  CHECK(all.meta.cut_off);
  CHECK(error_of_log(scratch.add("bad.jsonl", kRow + "\n" + kRow.substr(0, 50) + "\n" + kRow + "\n"))
            .find("bad.jsonl:2: ") != std::string::npos);
  CHECK(error_of_log(scratch.add("twice.jsonl", kRow + "\n{\"topk_ids\": [3, 3]}\n"))
            .find("twice.jsonl:2: expert 3 stands twice") != std::string::npos);
  CHECK(error_of_log(scratch.add("empty.jsonl", "\n")).find("is empty") != std::string::npos);
  CHECK(error_of_log(scratch.add("words.txt", "some words\n")).find("words.txt:1: no log of traffic") !=
        std::string::npos);
}

TEST_CASE("Tables have the same tokens as JSON lines") {
  const ScratchDirectory scratch;
  const Collected json = read(scratch.add("a.jsonl", kRow + "\n"));
  const Collected cell = read(scratch.add(
      "a.csv",
      "req_id,token_idx,layer,topk_ids,topk_weights\nr1,3,2,\"[43, 5, 7]\",\"[0.0967, 0.05, 3e-2]\"\n"));
  const Collected columns = read(scratch.add("b.csv",
                                             "req_id,token_idx,layer,topk_0,topk_1,topk_2,weight_0,weight_1,"
                                             "weight_2\nr1,3,2,43,5,7,0.0967,0.05,0.03\n"));
  REQUIRE(cell.tokens.size() == 1);
  REQUIRE(columns.tokens.size() == 1);
  CHECK(operator_equal(cell.tokens.front(), json.tokens.front()));
  CHECK(operator_equal(columns.tokens.front(), json.tokens.front()));
}

TEST_CASE("Counts by expert come as lists, as columns, or one per line, and are the same") {
  const ScratchDirectory scratch;
  const auto same = [](const Collected& all) {
    REQUIRE(all.counts.size() == 4);
    for (std::uint64_t i = 0; i < 4; ++i) {
      CHECK(all.counts[i].step == i / 2);
      CHECK(all.counts[i].layer == i % 2);
      CHECK(all.counts[i].rows == std::vector<std::uint64_t>{10 * i, 10 * i + 1, 10 * i + 2});
    }
  };
  same(read(scratch.add("a.json", "[[[0,1,2],[10,11,12]],\n[[20,21,22],[30,31,32]]]")));
  same(read(scratch.add("b.json", "{\"logical_count\":\n [[[0,1,2],[10,11,12]],[[20,21,22],[30,31,32]]]}")));
  same(read(scratch.add(
      "c.jsonl",
      "{\"logical_count\": [[0,1,2],[10,11,12]]}\n{\"logical_count\": [[20,21,22],[30,31,32]]}\n")));
  same(read(scratch.add(
      "d.csv",
      "step,layer,expert_0,expert_1,expert_2\n0,0,0,1,2\n0,1,10,11,12\n1,0,20,21,22\n1,1,30,31,32\n")));
  std::string lines = "step,layer,expert,count\n";
  for (int i = 0; i < 12; ++i)
    lines += fmt::format("{},{},{},{}\n", i / 6, i / 3 % 2, i % 3, i / 3 * 10 + i % 3);
  same(read(scratch.add("e.csv", lines)));
}
