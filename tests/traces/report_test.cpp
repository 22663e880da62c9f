#include "traces/report/report.h"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

using namespace a3sim;

namespace {

Table& add_latencies(Report& report) {
  Table& table = report.table("runs", {Column::words("run"), Column::milliseconds("latency ms", "latency_ps"),
                                       Column::percent("busy", "busy"), Column::data("l2.hits"),
                                       Column::mega("MB/rank").for_people()});
  table.add({"one", 1'234'567'890_ps, 0.1234, 0.5, 2'000'000.0});
  table.add({"two", Cell(), -0.0001, Cell(), Cell()});
  return table;
}

}  // namespace

TEST_CASE("people see a table's columns with their units, programs its whole values") {
  Report report;
  const Table& table = add_latencies(report);
  CHECK(report.text() ==
        "run  latency ms    busy  MB/rank\n"
        "one       1.235  12.3 %      2.0\n"
        "two           -   0.0 %        -\n");
  CHECK(report.markdown() ==
        "| run | latency ms | busy | MB/rank |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| one | 1.235 | 12.3 % | 2.0 |\n"
        "| two | - | 0.0 % | - |\n");
  CHECK(table.csv() ==
        "run,latency_ps,busy,l2.hits\n"
        "one,1234567890,0.1234,0.5\n"
        "two,,-0.0001,\n");
}

TEST_CASE("in JSON a key with dots is objects in objects, without what is not there; elsewhere it is null") {
  Report report;
  report.fact("version", 1).fact("now.total_ps", 5_ps).fact("now.bounds_ps.cube", 3_ps);
  add_latencies(report);
  report.say("It binds.\n", "binds");
  report.part("passes").fact("pass", "forward");
  CHECK(report.json().dump() ==
        R"({"version":1,"now":{"total_ps":5,"bounds_ps":{"cube":3}},)"
        R"("runs":[{"run":"one","latency_ps":1234567890,"busy":0.1234,"l2":{"hits":0.5}},)"
        R"({"run":"two","latency_ps":null,"busy":-0.0001}],)"
        R"("binds":"It binds.","passes":[{"pass":"forward"}]})");
}

TEST_CASE("rows are for people, for programs, or for both; as many are shown as asked for") {
  Table table({Column::words("of"), Column::count("n")});
  table.add({"a", 1});
  table.add({"b", 2}, Audience::kPrograms);
  table.add({"c", 4});
  table.add({"sum", 7}, Audience::kPeople);
  CHECK(table.text() == "of   n\na    1\nc    4\nsum  7\n");
  CHECK(table.text(2) == "of  n\na   1\nc   4\n");
  CHECK(table.csv() == "of,n\na,1\nb,2\nc,4\n");
  CHECK_THROWS_AS(table.add({"too few"}), std::logic_error);
}

TEST_CASE("a blank line stands between two pieces, and none for one that shows nothing") {
  Report report;
  report.say("first\n");
  report.table("data", {Column::words("a")}, Audience::kPrograms).add({"unseen"});
  report.say_on("right below\n");
  report.table_on("", {Column::words("b")}).add({"1"});
  report.table("", {Column::words("a")});
  report.say_on("the table above has no rows\n");
  report.part("").say("last\n");
  CHECK(report.text() == "first\nright below\nb\n1\n\nthe table above has no rows\n\nlast\n");
}

TEST_CASE(
    "a report in short shows the first rows of a table that people see, and says how many more there are") {
  Report report;
  Table& table = report.table("rows", {Column::count("n")});
  table.add({0}, Audience::kPrograms);
  for (int n = 1; n <= 3; ++n) table.add({n});
  CHECK(report.text(2) == "n\n1\n2\n… 1 more rows: --all shows them\n");
  CHECK(report.text(3) == "n\n1\n2\n3\n");
  CHECK(report.json()["rows"].size() == 4);
}

TEST_CASE("numbers are printed in the form of their column") {
  const auto text = [](Form form, int decimals, Cell cell) {
    return text_of(cell, {.head = {}, .key = {}, .form = form, .decimals = decimals});
  };
  CHECK(text(Form::kMilliseconds, 3, 1.5e9) == "1.500");  // a mean, in picoseconds
  CHECK(text(Form::kSignedMilliseconds, 3, 1'500'000'000_ps) == "+1.500");
  CHECK(text(Form::kMicroseconds, 2, -1'500'000_ps) == "-1.50");
  CHECK(text(Form::kSignedPercent, 2, 0.12345) == "+12.35 %");
  CHECK(text(Form::kPercent, 1, -0.1) == "-10.0 %");
  CHECK(text(Form::kPlain, 1, std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
  CHECK(text(Form::kPlain, 2, 1.005) == "1.00");
  CHECK(text(Form::kPrefixed, 1, 312'700'000'000.0) == "312.7 G");
  CHECK(text(Form::kSignificant, 1, 12345.6) == "12346");
  CHECK(text(Form::kPlain, 1, share(1.0, 0.0)) == "-");
  CHECK(text_of({}, Column::words("a").or_else("")).empty());
}

TEST_CASE("cells that hold commas or quotes are quoted in CSV, bars escaped in Markdown") {
  Table table({Column::words("a")});
  table.add({"x, \"y\"|z"});
  CHECK(table.csv() == "a\n\"x, \"\"y\"\"|z\"\n");
  CHECK(table.markdown() == "| a |\n| --- |\n| x, \"y\"\\|z |\n");
}
