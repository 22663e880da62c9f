#include "scheduler/ssc.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "sim/core/error.h"
#include "tests/scheduler/small_ssc.h"

using namespace a3sim;

namespace {

template <class T>
bool same_bytes(std::span<const T> view, const std::vector<T>& items) {
  return view.size() == items.size() && std::memcmp(view.data(), items.data(), view.size_bytes()) == 0;
}

void require_same(const Ssc& ssc, const SscParts& p) {
  REQUIRE(ssc.shape() == p.shape);
  REQUIRE(ssc.rank() == p.rank);
  REQUIRE(std::ranges::equal(ssc.sent_capacity(), p.sent_capacity));
  REQUIRE(std::ranges::equal(ssc.received_capacity(), p.received_capacity));
  REQUIRE(ssc.graph() == p.graph);
  REQUIRE(ssc.order() == p.order);
  REQUIRE(ssc.assignment() == p.assignment);
  REQUIRE(ssc.workers(QueueType::kCtq) == p.workers[0]);
  REQUIRE(ssc.workers(QueueType::kVtq) == p.workers[1]);
  REQUIRE(ssc.tensors().size() == p.tensors.size());
  for (std::size_t i = 0; i < p.tensors.size(); ++i) {
    const TensorInfo &a = ssc.tensors()[i], &b = p.tensors[i];
    REQUIRE(std::tie(a.name, a.layout, a.dtype, a.rows, a.cols, a.external) ==
            std::tie(b.name, b.layout, b.dtype, b.rows, b.cols, b.external));
  }
  REQUIRE(ssc.operators().size() == p.operators.size());
  for (std::size_t i = 0; i < p.operators.size(); ++i) {
    const OperatorInfo &a = ssc.operators()[i], &b = p.operators[i];
    REQUIRE(std::tie(a.name, a.type, a.stage, a.transposed, a.inputs, a.outputs) ==
            std::tie(b.name, b.type, b.stage, b.transposed, b.inputs, b.outputs));
  }
  REQUIRE(same_bytes(ssc.tilings(), p.tilings));
  REQUIRE(same_bytes(ssc.tasks(), p.tasks));
  REQUIRE(same_bytes(ssc.regions(), p.regions));
  REQUIRE(same_bytes(ssc.events(), p.events));
  REQUIRE(std::ranges::equal(ssc.worker_sets(), p.worker_sets));
  REQUIRE(std::ranges::equal(ssc.queue(QueueType::kCtq), p.queues[0]));
  REQUIRE(std::ranges::equal(ssc.queue(QueueType::kVtq), p.queues[1]));
}

}  // namespace

TEST_CASE("A schedule gives back every field it was built from") {
  require_same(Ssc::build(small_parts()), small_parts());
}

TEST_CASE("Equal parts give equal bytes") {
  REQUIRE(std::ranges::equal(Ssc::build(small_parts()).bytes(), Ssc::build(small_parts()).bytes()));
}
