#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scheduler/orders/order.h"

namespace a3sim {

// What sort keys see of a task. Whole numbers, exact up to 2^53; -1 where a task has no such thing (the
// expert of an Accumulate).
struct Attributes {
  double op = 0;       // position of the operator in the graph; operator names stand for theirs
  double stage = 0;    // longest path to the operator from a source, in operators
  double expert = 0;   // local index
  double gexpert = 0;  // global index
  double src = 0, dst = 0;
  double rank = 0, ep = 0;
  double distance = 0;  // of src and dst: 0 on one rank, 1 on the fabric's nearest level, 2 on the next, …
  double node = 0;      // of dst
  double row = 0;       // first row of the first output
  double rows = 0;      // that it makes; of gradients of weights, that they are summed over
  double tile = 0;      // share, row tile or chunk within expert and partition
  double chunk = 0;     // puts: chunk within (source, expert)
  double index = 0;     // task_index
  double bytes = 0;     // read and written
  double flops = 0;
  double depth = 0;  // longest path to the task from a source, in tasks
  double path = 0;   // longest remaining path, in picoseconds, this task included
};

// The attributes that stand in the descriptor; what TaskWeights has stays 0.
Attributes attributes_of(const TaskDescriptor& td, RankId rank, std::uint32_t ep);

// The names of the attributes, in the order above.
std::span<const std::string> attribute_names();

// Sort keys as they are evaluated. A key is arithmetic over attributes and the names of operators (those that
// begin with a capital letter):
//   + - * /       on real numbers: 7 / 2 is 3.5; floor(x) rounds down
//   a % b         the non-negative remainder: -1 % 4 is 3; the sign of b does not matter
//   < <= == != >= > && ||   give 1 or 0;  c ? a : b  evaluates only the side it takes
//   min(…) max(…) abs(x) floor(x), parentheses
// A value is an error where it is not finite (division by 0), and so is a remainder by 0.
class KeyProgram {
 public:
  // `queue` selects the order's keys; `operators` are the graph's, by OpId. Throws InputError for a key that
  // does not parse or names what does not exist, with its position in the expression and the known names.
  KeyProgram(const OrderSpec& order, CoreUnit unit, std::span<const std::string> operators);
  ~KeyProgram();
  KeyProgram(KeyProgram&&) noexcept;
  KeyProgram& operator=(KeyProgram&&) noexcept;

  std::size_t size() const;  // number of keys
  // One value a key, most significant first. Throws InputError, with the key and the task, as said above.
  // Not for two threads at once: each takes its own program.
  void evaluate(const Attributes& task, std::span<double> out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What is wrong with a key before any graph is known, or
// empty: any name with a capital letter may be an operator.
std::string key_error(const std::string& key);

}  // namespace a3sim
