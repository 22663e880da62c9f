#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace a3sim {

// The flows of one class. They share one virtual time: the bytes that each would have sent since the class
// began. A flow ends when the virtual time reaches its value at the flow's start plus the flow's bytes.
class FlowQueue {
 public:
  struct Waiting {
    double finish;  // virtual time of its end
    std::uint64_t sequence;
    std::uint32_t token;
  };

  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  // Returns the flow that ends first; among equals, the one that started first.
  const Waiting& first() const { return waiting_.front(); }
  void push(const Waiting& flow) {
    waiting_.push_back(flow);
    std::push_heap(waiting_.begin(), waiting_.end(), ends_later);
  }
  void pop() {
    std::pop_heap(waiting_.begin(), waiting_.end(), ends_later);
    waiting_.pop_back();
  }

 private:
  static bool ends_later(const Waiting& a, const Waiting& b) {
    return a.finish != b.finish ? a.finish > b.finish : a.sequence > b.sequence;
  }

  std::vector<Waiting> waiting_;
};

// Flows that have ended but are not reported yet.
class EndedFlows {
 public:
  bool empty() const { return ended_.empty(); }
  std::int64_t first_time() const { return ended_.front().time; }
  // Times must not decrease.
  void add(std::int64_t time, const FlowQueue::Waiting& flow) {
    ended_.push_back({time, flow.sequence, flow.token});
  }
  // Appends the tokens in order of (time, start) and removes them.
  void hand_out(std::vector<std::uint32_t>& tokens) {
    const auto by_time = [](const Ended& a, const Ended& b) {
      return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
    };
    if (!std::is_sorted(ended_.begin(), ended_.end(), by_time))
      std::sort(ended_.begin(), ended_.end(), by_time);
    for (const Ended& e : ended_) tokens.push_back(e.token);
    ended_.clear();
  }

 private:
  struct Ended {
    std::int64_t time;
    std::uint64_t sequence;
    std::uint32_t token;
  };
  std::vector<Ended> ended_;
};

}  // namespace a3sim
