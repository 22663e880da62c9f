#include "traces/report/page/page.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/diagnosis/rules/finding_section.h"
#include "tests/traces/made_trace.h"

using namespace a3sim;
using Catch::Contains;

namespace {

// As the page's script reads them: seven bits per byte, the lowest first; the sign in the lowest bit; differences.
std::vector<std::int64_t> unpack(const std::string& bytes) {
  std::vector<std::int64_t> values;
  std::uint64_t code = 0, factor = 1;
  std::int64_t value = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    code += (byte & 127U) * factor;
    factor *= 128;
    if (byte > 127) continue;
    value += code % 2 == 0 ? static_cast<std::int64_t>(code / 2) : -static_cast<std::int64_t>(code / 2) - 1;
    values.push_back(value);
    code = 0;
    factor = 1;
  }
  return values;
}

Table one_column(const Column& column, const Cell& cell) {
  Table table({column});
  table.add({cell});
  return table;
}

}  // namespace

TEST_CASE("Packed columns are read back whole, whatever their signs and sizes") {
  const std::vector<std::int64_t> values{
      0, 1, -1, 63, 64, -64, -65, 10'596'810'043, (std::int64_t{1} << 53) - 1, -(std::int64_t{1} << 53) + 1,
      7};
  PackedColumns columns(values.size());
  columns.add("x", [&](std::size_t row) { return values[row]; });
  CHECK(unpack(columns.bytes()) == values);
  CHECK(columns.names() == std::vector<std::string>{"x"});
}

TEST_CASE("A column whose values repeat is packed as it is, and named as such") {
  const std::vector<std::int64_t> values{700, 700, -3, 700};
  PackedColumns columns(values.size());
  columns.add_repeating("x", [&](std::size_t row) { return values[row]; });
  CHECK(columns.repeating() == std::vector<std::string>{"x"});
  std::int64_t sum = 0;
  std::vector<std::int64_t> sums;
  for (const std::int64_t value : values) sums.push_back(sum += value);
  CHECK(unpack(columns.bytes()) == sums);
}

TEST_CASE("MeetingTimes that grow by little take few bytes") {
  PackedColumns columns(1000);
  columns.add("time", [](std::size_t row) { return 10'000'000'000 + 50 * row; });
  CHECK(columns.bytes().size() == 5 + 999);  // 10 ms in ps takes 5 bytes, a step of 50 ps one
}

TEST_CASE("Base 64 is that of RFC 4648's examples") {
  const std::pair<std::string, std::string> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : known) CHECK(base64(bytes) == text);
}

TEST_CASE("Nothing in a page's data ends the element that holds it") {
  const std::string evil = "</script><script>alert(1)</script>";
  Page page(evil, evil);
  page.add(evil, PageBlocks().say(evil).table(one_column(Column::words(evil), evil)));
  const std::string html = page.html("a3sim");
  CHECK_THAT(html, !Contains(evil));
  // The page's script, what unpacks it, the data, and the packed columns' none.
  std::size_t scripts = 0;
  for (std::size_t at = html.find("</script>"); at != std::string::npos; at = html.find("</script>", at + 1))
    ++scripts;
  CHECK(scripts == 3);
  CHECK_THAT(html, Contains("<title>&lt;/script>"));
}

TEST_CASE("A page's tables have what people see, exact values to sort by, and the whole table as CSV") {
  Table table({Column::words("name"), Column::milliseconds("ms", "time_ps"), Column::data("hidden")});
  table.add({"a", Duration(1'234'567'890), 5});
  table.add({"mean", Duration(1), 6}, Audience::kPeople);
  table.add({"more", Duration(2), 7}, Audience::kPrograms);
  const auto json = PageBlocks().table(table).json[0]["table"];
  CHECK(json["heads"] == std::vector<std::string>{"name", "ms"});
  CHECK(json["numbers"] == std::vector<bool>{false, true});
  CHECK(json["rows"] == std::vector<std::vector<std::string>>{{"a", "1.235"}, {"mean", "0.000"}});
  CHECK(json["values"][0][1] == 1'234'567'890);
  CHECK(json["csv"] == table.csv());
}

TEST_CASE("A page allows no other source than itself, and equal pages are equal bytes") {
  const auto made = [] {
    Page page("title", "");
    PackedColumns columns(3);
    columns.add("x", [](std::size_t row) { return row; });
    page.add({{"kind", "runs"}, {"packed", page.pack(columns)}});
    return page.html("a3sim");
  };
  CHECK(made() == made());
  CHECK_THAT(made(), Contains("default-src 'none'") && !Contains("src=\"http"));
}

TEST_CASE("A finding on a page has its times on the timeline, and the task that its evidence stands at") {
  const std::vector<TracedPass> passes = made_passes();
  const Trace& trace = passes[0].trace;
  Finding finding;
  finding.cause = "compute.underused";
  finding.ranks = {1};
  finding.operators = {trace.operators[MadeTrace::kCubeOp].name};
  finding.lost_ms = 0.5;
  // The second task of rank 1, which a task of the other pass has the place of too; and no task.
  RecordPlace task = "tasks_forward.csv:5", other = "tasks_backward.csv:5";
  task.pass = "forward";
  other.pass = "backward";
  task.rank = other.rank = 1;
  task.task = other.task = 1;
  for (const RecordPlace& place : {task, other, RecordPlace("result.json:1")})
    finding.evidence.push_back({"part", "", 0.5, 0.8, place});
  Advice advice;
  advice.ranks = 2;
  finding.info = true;
  advice.infos = {finding};
  const PassFindings findings[] = {{"run", &passes[0], &advice}};
  Page page("", "");
  add_findings(page, findings);
  const std::string html = page.html("");
  const std::size_t at = html.find("{\"id\":\"finding-1\"");
  REQUIRE(at != std::string::npos);
  const std::string json = html.substr(at, html.find("</script>", at) - at);
  CHECK_THAT(json, Contains("\"from_ps\":1550000,\"to_ps\":1900000"));
  for (const char* place :
       {R"("place":"tasks_forward.csv:5","task":{"rank":1,"op":0,"index":1})",
        R"("place":"tasks_backward.csv:5","task":null)", R"("place":"result.json:1","task":null)"})
    CHECK_THAT(json, Contains(place));
  CHECK_THAT(json, Contains("\"where\":\"rank 1, GMM_w1_grad\"") && Contains("\"info\":true"));
  Page none("", "");
  advice.infos.clear();
  add_findings(none, findings);
  CHECK_THAT(none.html(""), !Contains("\"kind\":\"findings\""));
}
