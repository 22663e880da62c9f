#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace a3sim {

struct Attributes;  // order_keys.h

// Sort keys that a program computes, in place of those that an order spells out.
class KeyFunction {
 public:
  // Of the tasks of one queue of one rank, as they stand in its table. `operators` are the graph's, by number;
  // `elsewhere` those that the order may name and that have no task in this graph.
  struct Queue {
    std::shared_ptr<const std::vector<Attributes>> tasks;
    std::span<const std::string> operators, elsewhere;
  };
  // So many numbers of each task, task by task, most significant first.
  struct Keys {
    std::size_t of_a_task = 0;
    std::vector<double> values;
  };

  virtual ~KeyFunction() = default;
  // Equal for equal tasks. From any thread. What it throws ends the compilation.
  virtual Keys evaluate(const Queue& queue) const = 0;
};

}  // namespace a3sim
