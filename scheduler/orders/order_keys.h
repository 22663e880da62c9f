#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scheduler/orders/order.h"

namespace a3sim {

// The attributes of a task for sort keys: whole numbers, exact up to 2^53, or -1 if the task has none (the
// expert of an Accumulate).
struct Attributes {
  double op = 0;       // index of the operator in the graph; an operator's name is its index
  double stage = 0;    // longest path to the operator from a source, in operators
  double expert = 0;   // local index
  double gexpert = 0;  // global index
  double src = 0, dst = 0;
  double rank = 0, ep = 0;
  // Distance between src and dst: 0 on one rank, 1 on the fabric's nearest level, 2 on the next, …
  double distance = 0;
  double node = 0;   // node of dst
  double row = 0;    // first row of the first output
  double rows = 0;   // rows that it makes; for weight gradients: rows that they sum
  double tile = 0;   // share, row tile or chunk within expert and partition
  double chunk = 0;  // puts: chunk within (source, expert)
  double index = 0;  // task_index
  // The number of a matrix task's first base block, counted through the operator's blocks of all experts.
  double block = 0;
  double bytes = 0;  // read and written
  double flops = 0;
  double depth = 0;  // longest path to the task from a source, in tasks
  double path = 0;   // longest remaining path, in picoseconds, this task included
  double batch = 0;  // micro-batch of the operator (models/graph/batches.h)
};

// Returns the attributes that the descriptor holds. Those of TaskWeights are 0.
Attributes attributes_of(const TaskDescriptor& td, RankId rank, std::uint32_t ep);

// Returns the names of the attributes, in the order above.
std::span<const std::string> attribute_names();

// Compiled sort keys. A key is arithmetic over attributes and the names of operators (those that begin with a
// capital letter):
//   + - * /       on real numbers: 7 / 2 is 3.5; floor(x) rounds down
//   a % b         the non-negative remainder: -1 % 4 is 3; the sign of b does not matter
//   < <= == != >= > && ||   give 1 or 0;  c ? a : b  evaluates only the side that it takes
//   min(…) max(…) abs(x) floor(x), parentheses
// A value that is not finite (division by 0) and a remainder by 0 are errors.
class KeyProgram {
 public:
  // Compiles the order's keys for `unit`. `operators` are the graph's, by OpId. Throws InputError for a key
  // that does not parse or that names something that does not exist, with its position in the expression and
  // the known names.
  KeyProgram(const OrderSpec& order, CoreUnit unit, std::span<const std::string> operators);
  ~KeyProgram();
  KeyProgram(KeyProgram&&) noexcept;
  KeyProgram& operator=(KeyProgram&&) noexcept;

  // Returns the number of keys.
  std::size_t size() const;  // number of keys
  // Computes one value per key, most significant first. Throws InputError with the key and the task for the
  // errors above. Not thread-safe: each thread needs a program of its own.
  void evaluate(const Attributes& task, std::span<double> out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns what is wrong with a key, or an empty string. It does not need a graph, so any name with a capital
// letter may be an operator.
std::string key_error(const std::string& key);

}  // namespace a3sim
