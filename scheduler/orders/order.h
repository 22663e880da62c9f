#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/orders/key_function.h"
#include "scheduler/ssc/ssc.h"

namespace a3sim {

// What orders call the tasks of each unit, after the queues of the cores that have it alone; small in files.
inline constexpr std::string_view kPlanNames[kCoreUnits] = {"CTQ", "VTQ"};
constexpr std::string_view plan_name(CoreUnit unit) { return kPlanNames[static_cast<std::size_t>(unit)]; }

// An order as data: how the tasks of each unit are sorted, and which workers run which operators.
struct OrderSpec {
  std::string name;
  // Sort keys, most significant first (order_keys.h says what may stand in them).
  std::vector<std::string> keys[kCoreUnits];

  // An explicit order instead of keys: every task of the
  // unit, rank by rank (order_csv.h reads and writes it).
  struct Explicit {
    std::uint32_t rank;
    std::string op;
    std::uint32_t index;  // task_index
    std::uint32_t line;   // where it stands in the file
    friend bool operator==(const Explicit&, const Explicit&) = default;
  };
  std::vector<Explicit> list[kCoreUnits];
  std::string list_file[kCoreUnits];  // where the list came from; empty: keys sort the tasks

  // A program that computes the keys, in place of `keys`; null: none does.
  std::shared_ptr<const KeyFunction> functions[kCoreUnits];

  Assignment assignment = Assignment::kCyclic;

  // Workers that run nothing but the tasks of these operators, and the only ones that do. How an entry means
  // operators, also of `limits`: order_pools.h.
  struct Pool {
    std::string name;
    std::vector<std::string> operators;
    std::uint32_t workers;
    friend bool operator==(const Pool&, const Pool&) = default;
  };
  std::vector<Pool> pools;
  std::map<std::string, std::uint32_t> limits;  // operators -> tasks in flight of each at most

  // Operators of other graphs that the order serves too: it may name them, they have no tasks in this graph.
  // Set by who compiles several graphs with one order (forward and backward); a name that stands neither here
  // nor in the graph is refused.
  std::vector<std::string> elsewhere;
  std::string where;  // file:line:column, for messages
  friend bool operator==(const OrderSpec&, const OrderSpec&) = default;
};

}  // namespace a3sim
