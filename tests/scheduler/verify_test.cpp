#include "scheduler/verify/verify.h"

#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "scheduler/ssc/parts_of.h"
#include "tests/scheduler/small_compile.h"

namespace a3sim {
namespace {

Schedule good(bool backward = false, const OrderSpec& order = ratr_order()) {
  const MoeShape shape = small_shape(2);
  CompileOptions options = small_options(2, route({}, shape));
  options.order = order;
  return compile(small_graph(backward, shape), "g", options).schedule;
}

// The schedule with rank 0 changed.
Schedule with(Schedule schedule, const std::function<void(SscParts&)>& change) {
  SscParts parts = parts_of(schedule[0]);
  change(parts);
  schedule[0] = Ssc::build(parts);
  return schedule;
}

TaskDescriptor& first_task(SscParts& parts, const std::string& op) {
  return *std::find_if(parts.tasks.begin(), parts.tasks.end(),
                       [&](const TaskDescriptor& td) { return parts.operators[td.op].name == op; });
}

bool says(const std::vector<std::string>& messages, const std::string& what) {
  return std::any_of(messages.begin(), messages.end(),
                     [&](const std::string& m) { return m.find(what) != std::string::npos; });
}

CompileOptions ring_options(std::uint32_t ep, const OrderSpec& order) {
  CompileOptions options;
  options.shape = {
      .tokens = 16 * ep, .hidden = 4, .intermediate = 2, .top_k = 2, .experts_per_rank = 2, .ep = ep};
  options.capacity = route({}, options.shape);
  options.cut = {.shares = 2, .partitions = 1, .chunk = 8, .task_rows = 128};
  options.order = order;
  options.workers = aic_and_aiv(2, 2);
  return options;
}

}  // namespace

TEST_CASE("sound schedules are found sound, and what was checked is told") {
  for (const bool backward : {false, true}) {
    for (const Assignment assignment : {Assignment::kCyclic, Assignment::kShared}) {
      OrderSpec order = ratr_order();
      order.assignment = assignment;
      const Findings findings = verify(good(backward, order));
      CHECK(findings.errors == std::vector<std::string>{});
      CHECK(says(findings.notes, "no deadlock"));
      CHECK(says(findings.notes, "each once and to its place"));
    }
  }
}

TEST_CASE("operators of unknown types, with operands of other types, and tasks of others are found") {
  const auto errors_of = [](const std::function<void(SscParts&)>& change) {
    Schedule schedule = good();
    for (Ssc& ssc : schedule) {
      SscParts parts = parts_of(ssc);
      change(parts);
      ssc = Ssc::build(parts);
    }
    return verify(schedule).errors;
  };
  const auto named = [](SscParts& parts, const char* name) -> OperatorInfo& {
    return *std::ranges::find(parts.operators, name, &OperatorInfo::name);
  };
  const auto gmm1 = [&](SscParts& parts) -> OperatorInfo& { return named(parts, "GMM1"); };
  CHECK(says(errors_of([&](SscParts& parts) { gmm1(parts).type = "GroupedMatmuX"; }),
             "operator GMM1 is of an unknown type 'GroupedMatmuX'; did you mean 'GroupedMatmul'?"));
  CHECK(says(errors_of([&](SscParts& parts) { gmm1(parts).type = "SwiGLU"; }), "operator GMM1 (SwiGLU): "));
  CHECK(says(errors_of([&](SscParts& parts) { gmm1(parts).inputs.pop_back(); }),
             "operator GMM1 (GroupedMatmul) has 1 inputs and 1 outputs, expected 2 and 1"));
  CHECK(says(errors_of([&](SscParts& parts) { gmm1(parts).outputs.clear(); }),
             "operator GMM1 (GroupedMatmul) has 2 inputs and 0 outputs, expected 2 and 1"));
  // An operand more is one that holds tasks, which have to have it.
  CHECK(says(errors_of([&](SscParts& parts) {
               OperatorInfo& swiglu = named(parts, "SwiGLU");
               swiglu.inputs.push_back(swiglu.inputs.front());
             }),
             "touches other tensors than SwiGLU does"));
  CHECK(says(errors_of([&](SscParts& parts) { parts.tensors[index(gmm1(parts).outputs[0])].cols = 9; }),
             "operator GMM1 (GroupedMatmul): "));
  CHECK(says(errors_of([](SscParts& parts) { first_task(parts, "SwiGLU").task_type = 101; }),
             "SwiGLU[0] on rank 0 is a task of type 101 in the VTQ, its operator (SwiGLU) has vector tasks "
             "of type 102"));
}

TEST_CASE("a threshold that differs from the triggers is found") {
  const auto planted = with(good(), [](SscParts& parts) { ++parts.events[0].threshold; });
  CHECK(says(verify(planted).errors, "event 0 of rank 0 receives 4 triggers; its threshold is 5"));
}

TEST_CASE("queue entries exchanged so that they deadlock are found with every blocked worker") {
  // Both AIC hold tasks of GMM2 before GMM1's of the same workers.
  const auto planted =
      with(good(), [](SscParts& parts) { std::reverse(parts.queues[0].begin(), parts.queues[0].end()); });
  const Findings findings = verify(planted);
  CHECK(says(findings.errors, "deadlock: AIC 0 of rank 0 holds GMM2["));
  CHECK(says(findings.errors, "deadlock: AIC 1 of rank 0 holds GMM2["));
  CHECK(says(findings.errors, "waits for event"));
  CHECK_FALSE(says(findings.notes, "no deadlock"));
}

TEST_CASE("an exchange that other workers make up for is no deadlock") {
  // Worker 1 of 2 runs the producer while worker 0 waits.
  OrderSpec order = ratr_order();
  order.assignment = Assignment::kShared;
  const Schedule schedule = good(false, order);
  CHECK(find_deadlock(schedule).empty());
  const auto planted = with(schedule, [](SscParts& parts) {
    auto& queue = parts.queues[1];
    const auto is_swiglu = [&](std::uint32_t t) {
      return parts.operators[parts.tasks[t].op].name == "SwiGLU";
    };
    const auto swiglu = std::find_if(queue.begin(), queue.end(), is_swiglu);
    std::rotate(queue.begin(), swiglu, swiglu + 1);
  });
  CHECK(find_deadlock(planted).empty());
}

TEST_CASE("a put that is missing is found with the rows that nobody moves") {
  const auto planted = with(good(), [](SscParts& parts) {
    TaskDescriptor& put = first_task(parts, "Dispatch");
    for (std::uint32_t i = 0; i < 3; ++i) {
      Region& region = parts.regions[put.first_region + i];
      region.row_end = region.row_begin;
    }
  });
  CHECK(says(verify(planted).errors, "Dispatch moves rows [0, 2) of rank 0 for expert 0 never"));
}

TEST_CASE("rows that are moved twice, or to a wrong place, are found") {
  const auto twice = with(good(), [](SscParts& parts) {
    const TaskDescriptor first = first_task(parts, "Dispatch");
    TaskDescriptor& second = *(&first_task(parts, "Dispatch") + 1);
    parts.regions[second.first_region] = parts.regions[first.first_region];
    parts.regions[second.first_region + 2] = parts.regions[first.first_region + 2];
  });
  CHECK(says(verify(twice).errors, "moves rows [0, 2) of rank 0 for expert 0 again"));
  const auto astray = with(good(), [](SscParts& parts) {
    Region& region = parts.regions[first_task(parts, "Dispatch").first_region + 2];
    region.row_begin += 1;
    region.row_end += 1;
  });
  CHECK(says(verify(astray).errors, "not their place"));
}

TEST_CASE("a put outside the destination's tensor is found") {
  const auto planted = with(good(), [](SscParts& parts) {
    Region& region = parts.regions[first_task(parts, "Combine").first_region + 2];
    region.rank = 1;
    region.row_begin += 1000;
    region.row_end += 1000;
  });
  CHECK(says(verify(planted).errors, "do not exist"));
}

TEST_CASE("a reader that does not wait for its writer is found") {
  const auto planted =
      with(good(), [](SscParts& parts) { first_task(parts, "GMM1").dependent_event = kNone; });
  CHECK(says(verify(planted).errors, "GMM1[0] on rank 0 reads what Dispatch[0] on rank 0 writes"));
}

TEST_CASE("a reader that waits for something earlier than its writer is found") {
  const auto planted = with(good(), [](SscParts& parts) {
    first_task(parts, "GMM2").dependent_event = first_task(parts, "GMM1").dependent_event;
  });
  CHECK(says(verify(planted).errors, "GMM2[0] on rank 0 reads what SwiGLU[0] on rank 0 writes"));
}

TEST_CASE("schedules of different groups are not taken for one") {
  Schedule schedule = good();
  std::swap(schedule[0], schedule[1]);
  CHECK(says(verify(schedule).errors, "is that of rank 1"));
  schedule = good();
  schedule[1] = good(true)[1];
  CHECK(says(verify(schedule).errors, "rank 1 has another table of tensors"));
  schedule.pop_back();
  CHECK(says(verify(schedule).errors, "for 2 ranks; there are 1"));
  CHECK(says(verify({}).errors, "no schedule"));
}

TEST_CASE("a rank whose operator is another in any field is found") {
  const auto planted = [](const std::function<void(OperatorInfo&)>& change) {
    return verify(with(good(), [&](SscParts& parts) { change(parts.operators.back()); })).errors;
  };
  const std::vector<std::string> expected = {"rank 1 has another table of operators than rank 0"};
  CHECK(planted([](OperatorInfo& op) { ++op.stage; }) == expected);
  CHECK(planted([](OperatorInfo& op) { op.transposed = !op.transposed; }) == expected);
  CHECK(planted([](OperatorInfo& op) { op.name += "2"; }) == expected);
  CHECK(planted([](OperatorInfo& op) { op.inputs.push_back(TensorId{0}); }) == expected);
}

TEST_CASE("a rank that cuts products otherwise, or has other workers or room, is found") {
  const auto planted = [](const std::function<void(SscParts&)>& change) {
    return verify(with(good(), change)).errors;
  };
  CHECK(says(planted([](SscParts& parts) { ++parts.tilings[0].base_n; }), "another table of tilings"));
  CHECK(says(planted([](SscParts& parts) { ++parts.kinds[0].count; }), "another number or kind of workers"));
  CHECK(says(planted([](SscParts& parts) { parts.assignment = Assignment::kShared; }), "another assignment"));
  CHECK(says(planted([](SscParts& parts) { parts.order += "2"; }), "another order"));
  CHECK(says(planted([](SscParts& parts) {
               ++parts.received_capacity[0];
               --parts.received_capacity[1];
             }),
             "rank 0 has room for other rows than are sent to it"));
}

TEST_CASE(
    "under RATR the destinations form a permutation at every position of the ring, under naive they do not") {
  for (const std::uint32_t ep : {4U, 8U, 16U}) {
    const CompileOptions options = ring_options(ep, ratr_order());
    const Schedule schedule =
        compile(forward_graph(options.shape, Window::kTransport), "g", options).schedule;
    // By hand, without the verifier: all puts of Dispatch, in queue order, are one ring after the other.
    std::vector<std::vector<std::uint32_t>> destinations;
    for (const Ssc& ssc : schedule) {
      auto& of_rank = destinations.emplace_back();
      for (const std::uint32_t t : ssc.queue(kAivQueue)) {
        const TaskDescriptor& td = ssc.tasks()[t];
        if (ssc.operators()[td.op].name == "Dispatch") of_rank.push_back(td.dst);
      }
    }
    const std::uint32_t rows_a_slot = options.shape.tokens * options.shape.top_k / options.shape.experts();
    REQUIRE(destinations[0].size() == options.shape.experts() * rows_a_slot / options.cut.chunk);
    for (std::size_t position = 0; position < destinations[0].size(); ++position) {
      std::set<std::uint32_t> met;
      for (const auto& of_rank : destinations) met.insert(of_rank[position]);
      REQUIRE(met.size() == ep);
    }
    CHECK(destinations_form_permutations(schedule, OpId{0}));

    const CompileOptions naive = ring_options(ep, naive_order());
    const Schedule other = compile(forward_graph(naive.shape, Window::kTransport), "g", naive).schedule;
    CHECK_FALSE(destinations_form_permutations(other, OpId{0}));
    CHECK(says(verify(schedule).notes,
               "Dispatch: at every position of the ring the destinations form a permutation"));
    CHECK(says(verify(other).notes, "Dispatch: at every position of the ring the destinations do not form"));
  }
}

}  // namespace a3sim
