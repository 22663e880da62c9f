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

// The names that orders give to the tasks of each unit. They are the names of queues of cores that have only
// that unit. Files use lower case.
inline constexpr std::string_view kPlanNames[kCoreUnits] = {"CTQ", "VTQ"};
constexpr std::string_view plan_name(CoreUnit unit) { return kPlanNames[static_cast<std::size_t>(unit)]; }

// An order: how the tasks of each unit are sorted, and which workers run which operators.
struct OrderSpec {
  std::string name;
  // Sort keys, most significant first (order_keys.h describes them).
  std::vector<std::string> keys[kCoreUnits];

  // An explicit order instead of keys: every task of the unit, rank by rank (order_csv.h reads and writes
  // it).
  struct Explicit {
    std::uint32_t rank;
    std::string op;
    std::uint32_t index;  // task_index
    std::uint32_t line;   // line in the file
    friend bool operator==(const Explicit&, const Explicit&) = default;
  };
  std::vector<Explicit> list[kCoreUnits];
  std::string list_file[kCoreUnits];  // file of the list; empty if keys sort the tasks

  // A program that computes the keys instead of `keys`; may be null.
  std::shared_ptr<const KeyFunction> functions[kCoreUnits];

  Assignment assignment = Assignment::kCyclic;

  // Workers that run only the tasks of these operators; no other workers run them. order_pools.h defines
  // which operators an entry selects, here and in `limits`.
  struct Pool {
    std::string name;
    std::vector<std::string> operators;
    std::uint32_t workers;
    friend bool operator==(const Pool&, const Pool&) = default;
  };
  std::vector<Pool> pools;
  // Maps operators to the most tasks that each may have in flight.
  std::map<std::string, std::uint32_t> limits;
  // Maps operators to an expression over attributes. Its value chooses the worker that runs a task, counted
  // in its queue, modulo the number of workers there. Overrides pools and limits.
  std::map<std::string, std::string> workers;

  // Operators of other graphs that the order also serves: it may name them although this graph has no task of
  // them. Callers that compile several graphs (forward and backward) with one order set it. Any other unknown
  // name is refused.
  std::vector<std::string> elsewhere;
  std::string where;  // file:line:column, for messages
  friend bool operator==(const OrderSpec&, const OrderSpec&) = default;
};

}  // namespace a3sim
