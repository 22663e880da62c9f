#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace a3sim {

struct Attributes;  // order_keys.h

// Sort keys that a program computes, instead of keys that an order lists.
class KeyFunction {
 public:
  // The tasks of one queue of one rank, in table order. `operators` are the graph's, by number. `elsewhere`
  // are operators that the order may name although this graph has no task of them.
  struct Queue {
    std::shared_ptr<const std::vector<Attributes>> tasks;
    std::span<const std::string> operators, elsewhere;
  };
  // The keys, task by task: `of_a_task` numbers for each, most significant first.
  struct Keys {
    std::size_t of_a_task = 0;
    std::vector<double> values;
  };

  virtual ~KeyFunction() = default;
  // Returns the keys. Equal tasks must get equal keys. Any thread may call it. An exception ends the
  // compilation.
  virtual Keys evaluate(const Queue& queue) const = 0;
};

}  // namespace a3sim
