#include "scheduler/ssc/ssc.h"

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
  REQUIRE(ssc.workers(kAicQueue) == p.kinds[0].count);
  REQUIRE(ssc.workers(kAivQueue) == p.kinds[1].count);
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
  REQUIRE(std::ranges::equal(ssc.queue(kAicQueue), p.queues[0]));
  REQUIRE(std::ranges::equal(ssc.queue(kAivQueue), p.queues[1]));
}

}  // namespace

TEST_CASE("A schedule gives back every field it was built from") {
  require_same(Ssc::build(small_parts()), small_parts());
}

TEST_CASE("Equal parts give equal bytes") {
  REQUIRE(std::ranges::equal(Ssc::build(small_parts()).bytes(), Ssc::build(small_parts()).bytes()));
}

namespace {

std::string error_of(const SscParts& parts) {
  try {
    Ssc::build(parts);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("Parts that later code could not follow are refused, with the item that is wrong") {
  struct Edit {
    void (*apply)(SscParts&);
    const char* message;
  };
  const Edit edits[] = {
      {[](SscParts& p) { p.rank = RankId{2}; }, "rank 2 of 2 ranks"},
      {[](SscParts& p) { p.shape.ep = 0; }, "rank 1 of 0 ranks"},
      {[](SscParts& p) { p.shape.experts_per_rank = 0x80000000; },
       "2147483648 experts on each of 2 ranks are too many"},
      {[](SscParts& p) { p.shape.dtype = DataType{99}; }, "unknown data type 99"},
      {[](SscParts& p) { p.assignment = Assignment{2}; }, "unknown assignment 2"},
      {[](SscParts& p) { p.sent_capacity.push_back(0); }, "3 sent capacities, 2 expected"},
      {[](SscParts& p) { p.received_capacity.pop_back(); }, "1 received capacities, 2 expected"},
      {[](SscParts& p) { p.sent_capacity = {0xffffffff, 1}; },
       "4294967296 rows of sent capacity, at most 4294967295"},
      {[](SscParts& p) { p.tensors[2].layout = Layout{5}; }, "tensor 2: unknown layout 5"},
      {[](SscParts& p) { p.tensors[2].dtype = DataType{99}; }, "tensor 2: unknown data type 99"},
      {[](SscParts& p) { p.tensors[0].rows = 5; }, "tensor 0: 5 rows, its layout has 4"},
      {[](SscParts& p) { p.tensors[1].rows = 2; }, "tensor 1: 2 rows, its layout has 3"},
      {[](SscParts& p) { p.tensors[0].layout = Layout::kTokens, p.tensors[0].rows = 5; },
       "tensor 0: 5 rows, its layout has 4"},
      {[](SscParts& p) {
         p.shape.experts_per_rank = 3;
         p.sent_capacity = {1, 1, 1, 1, 0, 0};
         p.received_capacity = {1, 1, 1, 0, 0, 0};
       },
       "tensor 2: 8 rows of weights for 3 experts"},
      {[](SscParts& p) { p.tensors[2].rows = p.tensors[2].cols = 0xffffffff; },
       "tensor 2: 4294967295 x 4294967295 elements are too many"},
      {[](SscParts& p) { p.operators[1].outputs[0] = TensorId{4}; }, "operator 1: tensor 4 of 4"},
      {[](SscParts& p) { p.operators[0].inputs[0] = TensorId{kNone}; }, "operator 0: tensor 4294967295 of 4"},
      {[](SscParts& p) { p.tilings[0].step_k = 0; }, "tiling 0: a size of 0"},
      {[](SscParts& p) {
         p.tilings[0] = {1, 1, 64, 4};
         p.tensors[3].cols = 1U << 30;
       },
       "task 2: 3221225472 base blocks, at most 1073741824"},
      {[](SscParts& p) { p.worker_sets[1].queue_type = 2; }, "worker set 1: unknown queue 2"},
      {[](SscParts& p) { p.worker_sets[2].count = 0; }, "worker set 2: 0 workers from 1 of 3"},
      {[](SscParts& p) { p.worker_sets[2].count = 3; }, "worker set 2: 3 workers from 1 of 3"},
      {[](SscParts& p) { p.worker_sets[2].first = 0xffffffff; },
       "worker set 2: 2 workers from 4294967295 of 3"},
      {[](SscParts& p) { p.events[1].threshold = 0; }, "event 1: threshold 0"},
      {[](SscParts& p) { p.events[1].done = 2; }, "event 1: done is 2, 0 or 1 expected"},
      {[](SscParts& p) { p.regions[1].tensor = 4; }, "region 1: tensor 4 of 4"},
      {[](SscParts& p) { p.regions[1].rank = 2; }, "region 1: rank 2 of 2"},
      {[](SscParts& p) { p.regions[4].row_end = 4; }, "region 4: rows 0 to 4 of 3"},
      {[](SscParts& p) { p.regions[4].row_begin = 4; }, "region 4: rows 4 to 3 of 3"},
      {[](SscParts& p) { p.regions[1].row_begin = 4; }, "region 1: rows 4 to 3 of 4294967295"},
      {[](SscParts& p) { p.regions[6].share = 2; }, "region 6: share 2 of 2"},
      {[](SscParts& p) { p.regions[6].shares = 0; }, "region 6: share 0 of 0"},
      {[](SscParts& p) { p.tasks[2].queue_type = 2; }, "task 2: queue 2 of 2"},
      {[](SscParts& p) { p.tasks[2].op = 3; }, "task 2: operator 3 of 3"},
      {[](SscParts& p) { p.tasks[2].worker_set = 3; }, "task 2: worker set 3 of 3"},
      {[](SscParts& p) { p.tasks[2].worker_set = 1; }, "task 2: its worker set 1 is of another queue"},
      {[](SscParts& p) { p.tasks[4].num_outputs = 1; }, "task 4: regions up to 12 of 11"},
      {[](SscParts& p) { p.tasks[4].first_region = 0xffffffff; }, "task 4: regions up to 4294967296 of 11"},
      {[](SscParts& p) { p.tasks[2].dependent_event = 3; }, "task 2: dependent event 3 of 3"},
      {[](SscParts& p) { p.tasks[2].trigger_event = 3; }, "task 2: trigger event 3 of 3"},
      {[](SscParts& p) { p.tasks[4].trigger_event = kNone; },
       "task 4: trigger event 4294967295 of 4294967295"},
      {[](SscParts& p) { p.tasks[2].trigger_rank = 2; }, "task 2: trigger rank 2 of 2"},
      {[](SscParts& p) { p.tasks[2].tiling_data_position = 1; }, "task 2: tiling 1 of 1"},
      {[](SscParts& p) { p.tasks[2].expert = 1; }, "task 2: expert 1 of 1"},
      {[](SscParts& p) { p.tasks[2].gexpert = 2; }, "task 2: global expert 2 of 2"},
      {[](SscParts& p) { p.tasks[2].src = 2; }, "task 2: source rank 2 of 2"},
      {[](SscParts& p) { p.tasks[2].dst = 2; }, "task 2: destination rank 2 of 2"},
      {[](SscParts& p) { p.tasks[2].task_split_num = 3; },
       "task 2: one of 3 by its descriptor, but its operator has 2 tasks"},
      {[](SscParts& p) { p.tasks[2].task_index = 2; }, "task 2: task index 2 of 2"},
      {[](SscParts& p) { p.tasks[3].task_index = 0; }, "task 3: its operator has another task of index 0"},
      {[](SscParts& p) { p.queues[0][0] = 5; }, "CTQ entry 0: task 5 of 5"},
      {[](SscParts& p) { p.queues[0][0] = 4; }, "CTQ entry 0: task 4 is of another queue"},
      {[](SscParts& p) { p.queues[1][2] = 1; }, "VTQ entry 2: task 1 stands in it twice"},
      {[](SscParts& p) { p.queues[1].pop_back(); }, "task 4 does not stand in the VTQ"},
  };
  for (const Edit& edit : edits) {
    SscParts parts = small_parts();
    edit.apply(parts);
    const std::string rank = std::to_string(index(parts.rank));
    REQUIRE(error_of(parts) == "schedule 'small' of rank " + rank + ": " + edit.message);
  }
}

TEST_CASE("A schedule's tasks see their operands: inputs, then outputs") {
  const Ssc ssc = Ssc::build(small_parts());
  const TaskDescriptor& gmm = ssc.tasks()[2];
  REQUIRE(ssc.inputs(gmm).size() == 2);
  REQUIRE(ssc.inputs(gmm)[1].tensor == 2);
  REQUIRE(ssc.outputs(gmm).size() == 1);
  REQUIRE(ssc.outputs(gmm)[0].shares == 2);
  REQUIRE(ssc.outputs(ssc.tasks()[4]).empty());
}
