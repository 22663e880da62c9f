#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scheduler/ssc.h"

namespace a3sim {

// An order as data: how the tasks of each queue are sorted, and which workers run which operators.
struct OrderSpec {
  std::string name;
  // Sort keys, most significant first: arithmetic over the attributes
  //   op stage expert gexpert src dst rank ep row tile chunk index bytes flops depth path
  // with + - * / % (the non-negative remainder), comparisons, ?:, min, max, abs; operator names stand for their op.
  std::vector<std::string> keys[kQueues];
  // An explicit order instead of keys: operator name and task index, for each rank (`a3sim order export` writes it).
  struct Explicit {
    std::uint32_t rank;
    std::string op;
    std::uint32_t index;
  };
  std::vector<Explicit> list[kQueues];
  Assignment assignment = Assignment::kCyclic;
  std::map<std::string, std::uint32_t> pools;  // operator -> workers reserved for it (operators that share a pool: same name list, see README)
  std::map<std::string, std::uint32_t> limits; // operator -> tasks in flight at most
  std::string where;                           // file:line:column, for messages
};

}  // namespace a3sim
