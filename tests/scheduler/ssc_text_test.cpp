#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/scheduler/small_ssc.h"

using namespace a3sim;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::size_t line_of(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// The message of the error that `text` gives; it starts with name:line.
std::string text_error(const std::string& text) {
  try {
    Ssc::from_text(text, "edited.txt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kFirstPut = "task 105 VTQ 1 0 1 1 - 0 0 0 0 2 128 - 0 0 0 1 0 0 0 5  # 0\n";

}  // namespace

TEST_CASE("Bytes made from the text of a schedule equal the schedule's") {
  const Ssc ssc = Ssc::build(small_parts());
  const Ssc read = Ssc::from_text(ssc.to_text(), "small.txt");
  REQUIRE(std::ranges::equal(read.bytes(), ssc.bytes()));
  REQUIRE(read.to_text() == ssc.to_text());
}

TEST_CASE("The text of a schedule names the fields and writes absent ones as a dash") {
  const std::string text = Ssc::build(small_parts()).to_text();
  REQUIRE(text.find("# task: task_type queue worker_set op num_inputs") != std::string::npos);
  REQUIRE(text.find(kFirstPut) != std::string::npos);
  REQUIRE(text.find("\n\n# ctq: tasks in queue order\nctq ") != std::string::npos);
  REQUIRE(text.find("tensor \"h \\\"q\\\"\\x0a\" received fp32 3 12 no  # 3\n") != std::string::npos);
}

TEST_CASE("Extreme values survive the text form") {
  SscParts p = small_parts();
  p.shape.hidden = p.shape.intermediate = 0xffffffff;
  p.tasks[4].task_type = 0xffff;
  p.tasks[4].trigger_rank = 0;
  p.tasks[4].trigger_event = 0xfffffffe;
  p.tasks[4].row = p.tasks[4].tile = p.tasks[4].chunk = 0xffffffff;
  p.tilings[0] = {0xffff, 1, 0xffff, 1};
  p.graph.clear();
  p.order = std::string("\0\xff\\x41#", 7);
  const Ssc ssc = Ssc::build(p);
  const std::string text = ssc.to_text();
  REQUIRE(std::ranges::equal(Ssc::from_text(text, "extreme.txt").bytes(), ssc.bytes()));
  REQUIRE(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
}

TEST_CASE("A schedule without tasks survives the text form") {
  SscParts p;
  p.shape.ep = 1;
  p.kinds = aic_and_aiv(0, 0);
  p.queues.resize(p.kinds.size());
  const Ssc ssc = Ssc::build(p);
  REQUIRE(ssc.tasks().empty());
  REQUIRE(std::ranges::equal(Ssc::from_text(ssc.to_text(), "empty.txt").bytes(), ssc.bytes()));
}

TEST_CASE("Comments, blank lines, Windows line ends and other spacing do not change a text schedule") {
  const Ssc ssc = Ssc::build(small_parts());
  std::string text = replaced(ssc.to_text(), "rank 1\n", "\n# a comment\n\trank \t 1 # of two\r\n\r\n");
  while (text.back() == '\n') text.pop_back();
  REQUIRE(std::ranges::equal(Ssc::from_text(text, "spaced.txt").bytes(), ssc.bytes()));
}

TEST_CASE("Two queue lines exchanged by hand exchange the tasks") {
  const std::string text = Ssc::build(small_parts()).to_text();
  const std::string edited = replaced(replaced(text, "\nctq 3 ", "\nctq X "), "\nctq 2 ", "\nctq 3 ");
  const Ssc ssc = Ssc::from_text(replaced(edited, "\nctq X ", "\nctq 2 "), "edited.txt");
  REQUIRE(std::ranges::equal(ssc.queue(kAicQueue), std::vector<std::uint32_t>{2, 3}));
}

TEST_CASE("A fault in a text schedule is told with its line") {
  const std::string text = Ssc::build(small_parts()).to_text();
  struct Edit {
    std::string from, to, message;
  };
  const Edit edits[] = {
      {"ssc 1\n", "ssc 9\n", "schedule format 9, written by a newer a3sim; this a3sim reads format 1"},
      {"rank 1\n", "rank one\n", "rank: a whole number expected, 'one' found"},
      {"rank 1\n", "rank 1 2\n", "nothing more expected, '2' found"},
      {"rank 1\n", "rnk 1\n", "unknown item 'rnk'"},
      {"rank 1\n", "rank\n", "rank is missing"},
      {"rank 1\n", "rank 4294967296\n", "rank: 4294967296 is above 4294967295"},
      {"rank 1\n", "rank -1\n", "rank: a whole number expected, '-1' found"},
      {"graph \"small\"", "graph small", "graph: a text in quotes expected"},
      {"graph \"small\"", "graph \"small", "graph: the quotes are not closed"},
      {"graph \"small\"", "graph \"\\n\"", "graph: \\\", \\\\ or \\xHH expected behind a backslash"},
      {"graph \"small\"", "graph \"\\x4", "graph: \\\", \\\\ or \\xHH expected behind a backslash"},
      {"assignment shared", "assignment both", "assignment: one of cyclic, shared expected, 'both' found"},
      {"order \"by hand\"", "graph \"two\"", "'graph' stands in line"},
      {"tensor \"x\" sent bf16", "tensor \"x\" sent bf61",
       "dtype: one of bf16, fp16, fp32, int8, int32, fp8_e4m3, fp8_e5m2, hif8, mxfp8, mxfp4 expected, 'bf61' "
       "found"},
      {"4 8 yes  # 0", "4 8 maybe  # 0", "external: yes or no expected, 'maybe' found"},
      {"task 105 VTQ", "task 65536 VTQ", "task_type: 65536 is above 65535"},
      {"task 200 VTQ 2 2 1 0 1 9 0", "task 200 VTQ 2 2 1 0 3 9 0", "task 4: dependent event 3 of 3"},
      {"event 2 0  # 1", "event 0 0  # 1", "event 1: threshold 0"},
      {"vtq 4 ", "vtq 0 ", "VTQ entry 2: task 0 stands in it twice"},
  };
  for (const Edit& edit : edits) {
    const std::string edited = replaced(text, edit.from, edit.to);
    const std::string where = "edited.txt:" + std::to_string(line_of(text, edit.from)) + ": ";
    REQUIRE_THAT(text_error(edited), Catch::Matchers::StartsWith(where + edit.message));
  }
}

TEST_CASE("A text schedule that lacks a line says which") {
  const std::string text = Ssc::build(small_parts()).to_text();
  REQUIRE(text_error("") == "edited.txt:1: a line 'ssc' is missing");
  REQUIRE(text_error("rank 1\n") == "edited.txt:1: 'ssc 1' expected first");
  REQUIRE_THAT(text_error(replaced(text, "rank 1\n", "")),
               Catch::Matchers::EndsWith("a line 'rank' is missing"));
}
