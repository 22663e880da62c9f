#include "scheduler/orders/order_keys.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/error.h"

using namespace a3sim;

namespace {

const std::vector<std::string> kOperators = {"Dispatch", "GMM1", "GMM_act_grad"};

OrderSpec order_with(std::vector<std::string> keys) {
  OrderSpec order;
  order.name = "mine";
  order.where = "mine.yaml:1:1";
  order.keys[0] = std::move(keys);
  return order;
}

double value(const std::string& key, const Attributes& task = {}) {
  KeyProgram program(order_with({key}), CoreUnit::kMatrix, kOperators);
  double out = 0;
  program.evaluate(task, std::span(&out, 1));
  return out;
}

std::string compile_error(const OrderSpec& order) {
  try {
    KeyProgram(order, CoreUnit::kMatrix, kOperators);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string value_error(const std::string& key, const Attributes& task) {
  try {
    value(key, task);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("Every attribute of a task has its own name in a key") {
  Attributes task;
  double* const members[] = {
      &task.op,    &task.stage,    &task.expert, &task.gexpert, &task.src,   &task.dst,  &task.rank,
      &task.ep,    &task.distance, &task.node,   &task.row,     &task.rows,  &task.tile, &task.chunk,
      &task.index, &task.block,    &task.bytes,  &task.flops,   &task.depth, &task.path, &task.batch};
  const std::vector<std::string> names = {"op",    "stage",    "expert", "gexpert", "src",   "dst",  "rank",
                                          "ep",    "distance", "node",   "row",     "rows",  "tile", "chunk",
                                          "index", "block",    "bytes",  "flops",   "depth", "path", "batch"};
  REQUIRE(std::ranges::equal(attribute_names(), names));
  for (std::size_t i = 0; i < names.size(); ++i) *members[i] = 100.0 + static_cast<double>(i);
  for (std::size_t i = 0; i < names.size(); ++i)
    REQUIRE(value(names[i], task) == 100.0 + static_cast<double>(i));
}

TEST_CASE("A remainder is never negative, whatever the signs") {
  for (int a = -13; a <= 13; ++a) {
    for (int b = -5; b <= 5; ++b) {
      if (b == 0) continue;
      int expected = 0;  // the r in 0 … |b| - 1 with a - r a multiple of b
      while ((a - expected) % b != 0) ++expected;
      Attributes task;
      task.dst = a;
      task.rank = b;
      REQUIRE(value("dst % rank", task) == expected);
    }
  }
}

TEST_CASE("The ring key puts a rank's destinations in the order of the ring that starts at itself") {
  for (std::uint32_t ep = 1; ep <= 17; ++ep) {
    for (std::uint32_t rank = 0; rank < ep; ++rank) {
      KeyProgram program(order_with({"(dst - rank) % ep"}), CoreUnit::kMatrix, kOperators);
      for (std::uint32_t dst = 0; dst < ep; ++dst) {
        Attributes task;
        task.dst = dst;
        task.rank = rank;
        task.ep = ep;
        double place = -1;
        program.evaluate(task, std::span(&place, 1));
        REQUIRE((rank + static_cast<std::uint32_t>(place)) % ep == dst);
        REQUIRE((place >= 0 && place < ep));
      }
    }
  }
}

TEST_CASE("Operators of a key bind as in arithmetic and C") {
  Attributes t;
  t.dst = 7;
  t.rank = 2;
  t.ep = 4;
  REQUIRE(value("dst - rank % ep", t) == 7 - 2);
  REQUIRE(value("dst % ep * 10", t) == 3 * 10);
  REQUIRE(value("10 * dst % ep", t) == 70 % 4);
  REQUIRE(value("dst + rank * ep", t) == 7 + 2 * 4);
  REQUIRE(value("-dst % ep", t) == 1);
  REQUIRE(value("-dst + ep", t) == -7 + 4);
  REQUIRE(value("dst / rank", t) == 3.5);
  REQUIRE(value("floor(dst / rank)", t) == 3);
  REQUIRE(value("floor(-dst / rank)", t) == -4);
  REQUIRE(value("dst < ep + 4 && rank == 2", t) == 1);
  REQUIRE(value("dst <= 6 || rank != 2", t) == 0);
  REQUIRE(value("dst >= 7", t) == 1);
  REQUIRE(value("dst > 7", t) == 0);
  REQUIRE(value("dst > 7 ? 1 : rank > 1 ? 20 : 30", t) == 20);
  REQUIRE(value("min(dst, rank, ep)", t) == 2);
  REQUIRE(value("max(dst, rank) + abs(rank - dst)", t) == 7 + 5);
}

TEST_CASE("Whole numbers are exact up to 2^53") {
  constexpr double kLargest = 9007199254740992.0;
  Attributes task;
  task.path = kLargest;
  REQUIRE(value("path - 1", task) == kLargest - 1);
  REQUIRE(value("-path", task) == -kLargest);
  REQUIRE(value("path % 1000", task) == 992);
  REQUIRE(value("(path - 1) % 2", task) == 1);
}

TEST_CASE("Names of operators stand for their position in the graph") {
  Attributes task;
  task.op = 1;
  REQUIRE(value("op == GMM1", task) == 1);
  REQUIRE(value("op == Dispatch", task) == 0);
  REQUIRE(value("op == GMM1 || op == Dispatch || op == GMM1", task) == 1);
  REQUIRE(value("GMM_act_grad") == 2);
  REQUIRE(value("1E3") == 1000);
}

TEST_CASE("An operator of another graph that the order serves is none of this graph's") {
  OrderSpec order = order_with({"op == Combine_bwd", "Combine_bwd"});
  order.elsewhere = {"Combine_bwd"};
  KeyProgram program(order, CoreUnit::kMatrix, kOperators);
  double out[2] = {};
  program.evaluate({}, out);
  REQUIRE(out[0] == 0);
  REQUIRE(out[1] == -1);
}

TEST_CASE("Keys are evaluated one by one, most significant first, for the queue that was asked for") {
  OrderSpec order = order_with({"stage", "2 * expert", "-tile"});
  order.keys[1] = {"row"};
  KeyProgram ctq(order, CoreUnit::kMatrix, kOperators), vtq(order, CoreUnit::kVector, kOperators);
  REQUIRE(ctq.size() == 3);
  REQUIRE(vtq.size() == 1);
  Attributes task;
  task.stage = 1;
  task.expert = 2;
  task.tile = 3;
  task.row = 4;
  double out[3] = {};
  ctq.evaluate(task, out);
  REQUIRE(std::ranges::equal(out, std::vector<double>{1, 4, -3}));
  vtq.evaluate(task, std::span(out, 1));
  REQUIRE(out[0] == 4);
  KeyProgram moved = std::move(ctq);
  moved.evaluate(task, out);
  REQUIRE(out[0] == 1);
}

TEST_CASE("A remainder by 0 and a value that is not finite name the key and the task") {
  Attributes task;
  task.op = 1;
  task.index = 5;
  task.rank = 3;
  const std::string where = "mine.yaml:1:1: order 'mine', CTQ: key ";
  const std::string place = " for task 5 of 'GMM1' on rank 3";
  REQUIRE(value_error("dst % ep", task) == where + "'dst % ep' takes a remainder by 0" + place);
  REQUIRE(value_error("dst % ep == 0 ? 1 : 2", task) ==
          where + "'dst % ep == 0 ? 1 : 2' takes a remainder by 0" + place);
  REQUIRE(value_error("1 / ep", task) == where + "'1 / ep' has no finite value" + place);
  REQUIRE(value_error("dst / ep", task) == where + "'dst / ep' has no finite value" + place);
  REQUIRE(value("ep == 0 ? 7 : dst % ep", task) == 7);
}

TEST_CASE("What is wrong with a key is told with its position") {
  struct Case {
    std::string key, message;
  };
  const std::string attributes =
      "attributes: op, stage, expert, gexpert, src, dst, rank, ep, distance, node, row, rows, tile, chunk, "
      "index, block, bytes, flops, depth, path, batch";
  const Case cases[] = {
      {"exprt", "position 1: unknown name 'exprt'; did you mean 'expert'?; " + attributes},
      {"(dst - zzz) % ep", "position 8: unknown name 'zzz'; " + attributes},
      {"dst -", "position 6: it ends too early"},
      {"(dst - rank", "position 12: a parenthesis is not closed"},
      {"dst) ", "position 4: unexpected ')'"},
      {"dst rank", "position 5: unexpected 'rank'"},
      {"dst 4", "position 5: unexpected '4'"},
      {"* dst", "position 1: unexpected '*'"},
      {"stage, expert", "position 6: one value expected: list the keys one by one"},
      {"expert = 3", "position 8: == compares, = does not"},
      {"min()", "position 6: wrong number of arguments of 'min'"},
      {"abs(1, 2)", "position 9: wrong number of arguments of 'abs'"},
      {"sin(dst)", "position 1: unknown name 'sin'; " + attributes},
      {"\"text\"", "position 7: unexpected 'text'"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.key);
    REQUIRE(key_error(c.key) == "key '" + c.key + "', " + c.message);
    REQUIRE(compile_error(order_with({c.key})) ==
            "mine.yaml:1:1: order 'mine', CTQ: key '" + c.key + "', " + c.message);
  }
  REQUIRE(key_error("") == "key '': it is empty");
  REQUIRE(key_error("expert == 3 ? 1") == "key 'expert == 3 ? 1': a ? without its :");
}

TEST_CASE("An operator that no graph has is refused when the graphs are known") {
  REQUIRE(key_error("op == GMM_act_grd").empty());
  REQUIRE(compile_error(order_with({"op == GMM_act_grd"})) ==
          "mine.yaml:1:1: order 'mine', CTQ: key 'op == GMM_act_grd', position 7: unknown operator "
          "'GMM_act_grd'; did "
          "you mean 'GMM_act_grad'?");
  REQUIRE(compile_error(order_with({"op == Qwertyuiop"})) ==
          "mine.yaml:1:1: order 'mine', CTQ: key 'op == Qwertyuiop', position 7: unknown operator "
          "'Qwertyuiop'; known: "
          "Dispatch, GMM1, GMM_act_grad");
}

TEST_CASE("A descriptor's attributes are its fields, and -1 where it has none") {
  TaskDescriptor td{};
  td.op = 1;
  td.stage = 2;
  td.expert = 3;
  td.gexpert = 4;
  td.src = 5;
  td.dst = 6;
  td.row = 7;
  td.tile = 8;
  td.chunk = 9;
  td.task_index = 10;
  const Attributes a = attributes_of(td, RankId{11}, 12);
  REQUIRE(std::vector{a.op, a.stage, a.expert, a.gexpert, a.src, a.dst, a.row, a.tile, a.chunk, a.index,
                      a.rank, a.ep} == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  td.expert = kNoExpert;
  td.gexpert = kNone;
  REQUIRE(attributes_of(td, RankId{11}, 12).expert == -1);
  REQUIRE(attributes_of(td, RankId{11}, 12).gexpert == -1);
}
