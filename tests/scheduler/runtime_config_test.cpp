#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "models/graph/graph.h"
#include "scheduler/runtime_files/runtime_schedule.h"
#include "scheduler/ssc/parts_of.h"
#include "scheduler/verify/verify.h"
#include "sim/core/error.h"
#include "tests/scheduler/small_compile.h"

using namespace a3sim;

namespace {

// A file put together word by word from the published structure, without the code under test: offsets in words.
constexpr std::size_t kTaskNum = 0, kNumWorkers = 1, kQueueCapacity = 2, kTriggers = 4,
                      kTasks = kTriggers + 1024;
constexpr std::size_t kTensorWords = 16, kTaskWords = 6 + 8 * kTensorWords + 10;
constexpr std::size_t kEvents = kTasks + 25'600 * kTaskWords, kIndexNum = kEvents + 1024 * 4,
                      kCube = kIndexNum + 4, kVector = kCube + 25'600, kMix = kVector + 25'600,
                      kDynamicData = kMix + 25'600, kGroupList = kDynamicData + 4,
                      kAtomic = kGroupList + 2 * 512, kWords = kAtomic + 8;

class File {
 public:
  File() : words_(kWords, 0) {}
  std::uint32_t& word(std::size_t at) { return words_[at]; }
  std::uint32_t& task(std::size_t t, std::size_t field) { return words_[kTasks + t * kTaskWords + field]; }
  void tensor(std::size_t t, std::size_t at, std::uint32_t rows, std::uint32_t cols, std::uint32_t position,
              std::uint32_t offset, bool transposed) {
    std::uint32_t* d = &task(t, 6 + at * kTensorWords);
    d[1] = 2;
    d[2] = rows;
    d[3] = cols;
    d[6] = cols;
    d[7] = 1;
    d[10] = 27;
    d[11] = position;
    d[12] = offset;
    d[13] = transposed ? 1 : 0;
  }
  std::string bytes() const { return {reinterpret_cast<const char*>(words_.data()), words_.size() * 4}; }

 private:
  std::vector<std::uint32_t> words_;
};

constexpr std::uint32_t kCubeWorkers = 3, kVectorWorkers = 4, kSlot = 4, kChunk = 2, kRows = 4;

CompileOptions options_for(const MoeShape& shape) {
  CompileOptions options;
  options.shape = shape;
  options.capacity = RoutingCounts(shape.ep, shape.experts());
  for (std::uint32_t src = 0; src < shape.ep; ++src) {
    for (std::uint32_t e = 0; e < shape.experts(); ++e) options.capacity.at(src, e) = kSlot;
  }
  options.cut.shares = kCubeWorkers;
  options.cut.chunk = kChunk;
  options.cut.task_rows = kRows;
  options.order = ratr_order();
  options.workers = aic_and_aiv(kCubeWorkers, kVectorWorkers);
  return options;
}

Schedule compiled_shape(const MoeShape& shape, bool backward = false) {
  const Graph graph = with_small_blocks(backward ? backward_graph(shape, Window::kTransport)
                                                 : forward_graph(shape, Window::kTransport));
  return compile(graph, backward ? "backward" : "forward", options_for(shape)).schedule;
}

std::vector<NamedRuntimeConfig> exported(const Schedule& schedule) {
  std::vector<NamedRuntimeConfig> files;
  for (const Ssc& ssc : schedule)
    files.push_back({fmt::format("rank {}", index(ssc.rank())), runtime_config_of(ssc)});
  return files;
}

std::string message_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::uint32_t position_of(const Ssc& ssc, const std::string& name) {
  for (std::uint32_t i = 0; i < ssc.tensors().size(); ++i) {
    if (ssc.tensors()[i].name == name) return i;
  }
  throw std::logic_error("no tensor " + name);
}

// The forward pass of a rank, kSlot rows a source and expert, as the public code wires it: a put triggers its expert's
// event, a product waits for it, and all combines trigger one event of the rank that they send to.
File generated(const MoeShape& shape, const Ssc& names) {
  const std::uint32_t ep = shape.ep, experts = shape.experts_per_rank, rank = index(names.rank()),
                      h = shape.hidden, w = shape.intermediate, of_expert = ep * kSlot,
                      chunks = kSlot / kChunk, puts = experts * ep * chunks, vectors = of_expert / kRows;
  constexpr std::uint32_t kTypes = 6 + 8 * kTensorWords, kElement = 2;
  File f;
  std::uint32_t t = 0, cubes = 0, others = 0;
  const auto event = [&](std::uint32_t step, std::uint32_t e) { return 1 + step * experts + e; };
  std::vector<std::set<std::uint32_t>> waiting(2 + 4 * experts);
  const auto add = [&](std::uint32_t type, std::uint32_t wait, std::uint32_t trigger, std::uint32_t number,
                       std::uint32_t item, std::uint32_t value) {
    const bool cube = type == 104;
    f.task(t, 0) = type;
    f.task(t, 1) = cube ? 1 : 2;
    f.task(t, 2) = cube ? 2 : 1;
    f.task(t, 3) = 1;
    f.task(t, 4) = trigger;
    f.task(t, 5) = wait;
    f.task(t, kTypes + 2) = number;
    f.task(t, kTypes + 3) = item;
    f.task(t, kTypes + 4) = value;
    cube ? f.word(kCube + cubes++) = t : f.word(kVector + others++) = t;
    if (wait > 0) waiting[wait].insert(t);
  };
  const auto tensor = [&](std::size_t at, std::uint32_t rows, std::uint32_t cols, const char* name,
                          std::uint32_t row) {
    f.tensor(t, at, rows, cols, position_of(names, name), row * cols * kElement, false);
  };
  std::uint32_t number = 0;
  for (std::uint32_t e = 0; e < experts; ++e) {
    for (std::uint32_t dst = 0; dst < ep; ++dst) {
      for (std::uint32_t c = 0; c < chunks; ++c, ++t) {
        add(105, 0, event(0, e), number++, puts, kChunk);
        tensor(0, kChunk, h, "sent", (dst * experts + e) * kSlot + c * kChunk);
        tensor(4, kChunk, h, "received", (e * ep + rank) * kSlot + c * kChunk);
        f.task(t, kTypes + 5) = dst;
      }
    }
  }
  const auto product = [&](std::uint32_t step, const char* a, const char* b, const char* c, std::uint32_t k,
                           std::uint32_t n) {
    for (std::uint32_t e = 0; e < experts; ++e) {
      for (std::uint32_t share = 0; share < kCubeWorkers; ++share, ++t) {
        add(104, event(step, e), event(step + 1, e), e * kCubeWorkers + share, experts * kCubeWorkers,
            of_expert);
        tensor(0, of_expert, k, a, e * of_expert);
        tensor(1, k, n, b, e * k);
        tensor(4, of_expert, n, c, e * of_expert);
      }
    }
  };
  product(0, "received", "w1", "gate_up", h, 2 * w);
  for (std::uint32_t e = 0; e < experts; ++e) {
    for (std::uint32_t i = 0; i < vectors; ++i, ++t) {
      add(102, event(1, e), event(2, e), e * vectors + i, experts * vectors, kRows);
      tensor(0, kRows, 2 * w, "gate_up", e * of_expert + i * kRows);
      tensor(4, kRows, w, "activation", e * of_expert + i * kRows);
    }
  }
  product(2, "activation", "w2", "expert_output", w, h);
  number = 0;
  for (std::uint32_t e = 0; e < experts; ++e) {
    for (std::uint32_t src = 0; src < ep; ++src) {
      for (std::uint32_t c = 0; c < chunks; ++c, ++t) {
        add(105, event(3, e), event(4, 0), number++, puts, kChunk);
        tensor(0, kChunk, h, "expert_output", (e * ep + src) * kSlot + c * kChunk);
        tensor(4, kChunk, h, "returned", (rank * experts + e) * kSlot + c * kChunk);
        f.task(t, kTypes + 5) = src;
      }
    }
  }
  const std::uint32_t triggers[] = {ep * chunks, kCubeWorkers, vectors, kCubeWorkers};
  for (std::uint32_t id = 0; id <= 1 + 4 * experts; ++id) {
    const bool last = id == event(4, 0);
    const std::uint32_t num = id == 0 ? 0 : last ? ep * experts * chunks : triggers[(id - 1) / experts];
    f.word(kTriggers + id) = num;
    f.word(kEvents + id * 4) = id == 0 ? 900 : last ? 910 : 903;
    f.word(kEvents + id * 4 + 1) = num;
    if (waiting[id].empty()) continue;
    f.word(kEvents + id * 4 + 2) = *waiting[id].begin();
    f.word(kEvents + id * 4 + 3) = *waiting[id].rbegin();
  }
  f.word(kTaskNum) = t;
  f.word(kNumWorkers) = kCubeWorkers + kVectorWorkers;
  f.word(kQueueCapacity) = std::max(cubes, others);
  f.word(kIndexNum + 1) = cubes;
  f.word(kIndexNum + 2) = others;
  return f;
}

std::vector<NamedRuntimeConfig> generated_files(const MoeShape& shape, const Schedule& ours) {
  std::vector<NamedRuntimeConfig> files;
  for (const Ssc& ssc : ours) {
    const std::string name = fmt::format("rank {}", index(ssc.rank()));
    files.push_back({name, read_runtime_config(generated(shape, ssc).bytes(), name)});
  }
  return files;
}

}  // namespace

TEST_CASE("a schedule goes to the runtime's file and back: the same tasks, events and order") {
  for (const bool backward : {false, true}) {
    const Schedule before = compiled_shape(small_shape(3), backward);
    const Schedule after = schedule_of(exported(before), before);
    for (std::size_t r = 0; r < before.size(); ++r) {
      SscParts parts = parts_of(before[r]);
      parts.order = "imported";
      CHECK(after[r].to_text() == Ssc::build(parts).to_text());
    }
    CHECK(verify(after).errors.empty());
  }
}

TEST_CASE("what is read of a file is written again bit for bit, in both versions") {
  for (const bool profiled : {false, true}) {
    RuntimeConfig config = runtime_config_of(compiled_shape(small_shape(2))[1]);
    config.profiled = profiled;
    config.config_extra_value = 7;
    config.dynamic_data = {1, 2, 3, 0xffff'ffff};
    config.grouped_matmul_group_list = {5, -1, 9};
    config.atomic_add_values = {1, 2, 3, 4, 5, 6, 7, 8};
    config.tasks[3].extra_value = {9, 8, 7, 6, 5};
    if (profiled) {
      config.profiling = {1, 256, 255};
      config.tasks[4].profile_desc_id = 11;
      config.tasks[4].profile_owner_id = 12;
    }
    const std::string bytes = write_runtime_config(config);
    // 25,600 tasks of 576 bytes, 1,024 events of 16 and their counts, three lists, and what stands once.
    constexpr std::size_t kOnce = 16 + 16 + 16 + 512 * 8 + 8 * 4;
    CHECK(bytes.size() ==
          kOnce + 25'600 * (profiled ? 584 : 576) + 1024 * 20 + 3 * 25'600 * 4 + (profiled ? 16 : 0));
    CHECK(bytes.size() == (profiled ? 15'282'272 : kWords * 4));
    const RuntimeConfig read = read_runtime_config(bytes, "file");
    CHECK(read == config);
    CHECK(write_runtime_config(read) == bytes);
  }
}

TEST_CASE(
    "files made word by word from the published structure come back bit for bit, and their schedule is "
    "sound") {
  for (const std::uint32_t ep : {1U, 2U, 3U}) {
    const MoeShape shape = small_shape(ep);
    const Schedule ours = compiled_shape(shape);
    const Schedule theirs = schedule_of(generated_files(shape, ours), ours);
    CHECK(verify(theirs).errors.empty());
    for (std::uint32_t r = 0; r < ep; ++r)
      CHECK(write_runtime_config(runtime_config_of(theirs[r])) == generated(shape, ours[r]).bytes());
  }
}

TEST_CASE(
    "offsets that count elements, tasks that begin and end a kernel, and another order are understood") {
  const MoeShape shape = small_shape(2);
  const Schedule ours = compiled_shape(shape);
  const Schedule plain = schedule_of(generated_files(shape, ours), ours);
  std::vector<NamedRuntimeConfig> files = generated_files(shape, ours);
  for (NamedRuntimeConfig& file : files) {
    RuntimeConfig& config = file.config;
    for (RuntimeTaskDesc& t : config.tasks) {
      for (auto* tensors : {&t.inputs, &t.outputs}) {
        for (RuntimeTensorDesc& d : *tensors) d.base_ptr_offset /= 2;
      }
    }
    // An event that only the kernel's begin triggers.
    const auto launched = static_cast<std::uint32_t>(config.events.size());
    config.events.push_back({901, 1, 0, 1});
    for (RuntimeTaskDesc& t : config.tasks) {
      if (t.dependent_event == 0) t.dependent_event = launched;
    }
    for (const std::uint32_t type : {10U, 0U}) {
      RuntimeTaskDesc t{};
      t.task_type = type;
      t.task_aicore_type = 2;
      t.trigger_event = type == 10 ? launched : 0;
      config.task_indices[1].push_back(static_cast<std::uint32_t>(config.tasks.size()));
      config.tasks.push_back(t);
    }
    std::swap(config.task_indices[0][0], config.task_indices[0][1]);
    std::swap(config.task_indices[1][2], config.task_indices[1][0]);
  }
  const Schedule read = schedule_of(files, ours);
  for (std::size_t r = 0; r < read.size(); ++r) {
    SscParts parts = parts_of(plain[r]);
    std::swap(parts.queues[0][0], parts.queues[0][1]);
    std::swap(parts.queues[1][2], parts.queues[1][0]);
    CHECK(read[r].to_text() == Ssc::build(parts).to_text());
  }
}

TEST_CASE("a compiled pass has the tasks and events that the public code makes of its defaults") {
  // 32 experts on 4 ranks, 1,024 rows a source and expert; puts and SwiGLU by 128 rows, 24 shares a product.
  const MoeShape shape{
      .tokens = 4096, .hidden = 7168, .intermediate = 2048, .top_k = 8, .experts_per_rank = 8, .ep = 4};
  constexpr std::uint32_t kRowsPerSlot = 1024, kBlock = 128, kCores = 24;
  CompileOptions options = options_for(shape);
  options.cut = {};
  options.cut.shares = kCores;
  for (std::uint32_t src = 0; src < shape.ep; ++src) {
    for (std::uint32_t e = 0; e < shape.experts(); ++e) options.capacity.at(src, e) = kRowsPerSlot;
  }
  const std::uint32_t local = shape.experts_per_rank, puts = shape.experts() * (kRowsPerSlot / kBlock),
                      vectors = shape.ep * kRowsPerSlot / kBlock * local;
  const Schedule forward = compile(forward_graph(shape, Window::kTransport), "forward", options).schedule;
  const RuntimeConfig config = runtime_config_of(forward[1]);
  std::map<std::uint32_t, std::uint32_t> of_type;
  for (const RuntimeTaskDesc& t : config.tasks) ++of_type[t.task_type];
  CHECK(of_type ==
        std::map<std::uint32_t, std::uint32_t>{{105, 2 * puts}, {104, 2 * kCores * local}, {102, vectors}});
  // Of each expert: all its puts, the shares of two products, its SwiGLU tasks; and one of all that comes back.
  std::multiset<std::uint32_t> expected{0, puts}, found;
  for (std::uint32_t e = 0; e < local; ++e) expected.insert({puts / local, kCores, vectors / local, kCores});
  for (const RuntimeEventDesc& e : config.events) found.insert(e.num_triggers);
  CHECK(found == expected);

  // Both products of the dispatched gradients wait for one event.
  const Schedule backward = compile(backward_graph(shape, Window::kTransport), "backward", options).schedule;
  std::map<std::string, std::set<std::uint32_t>> waits;
  for (const TaskDescriptor& td : backward[0].tasks())
    waits[backward[0].operators()[td.op].name].insert(td.dependent_event);
  CHECK(waits["GMM_act_grad"] == waits["GMM_w2_grad"]);
  CHECK(waits["GMM_act_grad"].size() == local);
}

TEST_CASE("a file that is broken is refused with what is wrong") {
  const MoeShape shape = small_shape(2);
  const Schedule ours = compiled_shape(shape);
  const File good = generated(shape, ours[0]);
  const auto says = [&](const std::function<void(File&)>& change) {
    File file = good;
    change(file);
    return message_of([&] { read_runtime_config(file.bytes(), "f.bin"); });
  };
  const std::string bytes = good.bytes();
  CHECK(message_of([&] { read_runtime_config(bytes.substr(0, 100), "f.bin"); }) ==
        "f.bin: 100 bytes; a schedule of the public runtime has 15077456, or 15282272 with fields for its "
        "in-kernel trace");
  CHECK(says([](File& f) { f.word(kTaskNum) = 25'601; }) == "f.bin: task_num is 25601, at most 25600");
  CHECK(says([](File& f) { f.word(kIndexNum + 1) = 0xffff'ffff; }) ==
        "f.bin: task_index_num[1] is 4294967295, at most 25600");
  CHECK(says([](File& f) { f.word(kCube) = 9999; }) == "f.bin: cube_task_indices[0] is 9999, of 32 tasks");
  CHECK(says([](File& f) { f.word(kVector + 1) = f.word(kVector); }) ==
        "f.bin: vector_task_indices[1]: task 0 is listed twice");
  CHECK(says([](File& f) { --f.word(kIndexNum + 2); }) == "f.bin: task 31 stands in no list of indices");
  CHECK(says([](File& f) { f.task(3, 1) = 1; }) ==
        "f.bin: vector_task_indices[3]: task 3 has task_aicore_type 1");
  CHECK(says([](File& f) { f.task(3, 1) = 4; }) ==
        "f.bin: task 3: task_aicore_type is 4; 1 (cube), 2 (vector) or 3 (mix) expected");
  CHECK(says([](File& f) { f.task(5, 2) = 5; }) == "f.bin: task 5: num_inputs is 5, at most 4");
  CHECK(says([](File& f) { f.task(5, 4) = 1024; }) == "f.bin: task 5: trigger_event is 1024, at most 1023");
  CHECK(says([](File& f) { ++f.word(kTriggers + 2); }) ==
        "f.bin: event 2: all_events has 4 triggers, all_event_num_triggers 5");
  CHECK(says([](File& f) { f.word(kTriggers + 2) = 0xffff'ffff; }) == "f.bin: an event with -1 triggers");
}

TEST_CASE("a file of another experiment is refused with what differs") {
  const MoeShape shape = small_shape(2);
  const Schedule ours = compiled_shape(shape);
  const auto says = [&](const std::function<void(RuntimeConfig&)>& change) {
    std::vector<NamedRuntimeConfig> files = generated_files(shape, ours);
    change(files[1].config);
    return message_of([&] { schedule_of(files, ours); });
  };
  CHECK(
      says([](RuntimeConfig& c) { c.num_workers = 50; }) ==
      "rank 1: it is for 50 workers, the configuration for 3 AIC and 4 AIV: set workers.aic and workers.aiv");
  CHECK(says([](RuntimeConfig& c) { c.tasks[0].inputs[0].dim[1] = 9; }) ==
        "rank 1: task 0 (type 105, 2 x 9 at 0, 2 x 8 at 64) is none of the configuration's forward pass: is "
        "it of another "
        "shape, routing or cut (cut.chunk, cut.task_rows, cut.partitions)?");
  CHECK(says([](RuntimeConfig& c) {
          c.tasks.pop_back();
          c.task_indices[1].pop_back();
        }) == "rank 1: no task is like task 7 of Combine (type 105, 2 x 8 at 224, 2 x 8 at 224)");
  CHECK(says([](RuntimeConfig& c) { c.tasks[0].trigger_event = 1000; }) ==
        "rank 1: task 0 triggers event 1000 of rank 0, which waits for no triggers");
  const Schedule one(ours.begin(), ours.begin() + 1);
  CHECK(message_of([&] { schedule_of(generated_files(shape, ours), one); }) ==
        "2 files of ranks, and the configuration has 1 ranks (parallel.ep)");
}

TEST_CASE("what the runtime's files cannot carry is refused with the reason") {
  const MoeShape shape = small_shape(2);
  const auto refused = [&](const std::function<void(CompileOptions&)>& change,
                           Window window = Window::kTransport) {
    CompileOptions options = options_for(shape);
    change(options);
    const Schedule schedule =
        compile(with_small_blocks(forward_graph(shape, window)), "forward", options).schedule;
    return message_of([&] { runtime_config_of(schedule[0]); });
  };
  const std::string begin = "forward, rank 0: the public runtime's files cannot carry ";
  CHECK(refused([](CompileOptions& o) { o.order.assignment = Assignment::kShared; }) ==
        begin + "a shared queue: its workers take tasks in turn (order.assignment)");
  CHECK(refused([](CompileOptions&) {}, Window::kFull) ==
        begin + "operator Permute: the runtime has no task type for Permute");
  const auto many = [&](std::uint32_t rows, std::uint32_t sent_more = 0) {
    return refused([&](CompileOptions& o) {
      o.cut.chunk = o.cut.task_rows = 1;
      for (std::uint32_t src = 0; src < 2; ++src) {
        for (std::uint32_t e = 0; e < 4; ++e) o.capacity.at(src, e) = rows;
      }
      o.capacity.at(0, 3) += sent_more;
    });
  };
  // Two puts, and a SwiGLU task, a row of each of eight slots, of which a rank sends and receives four.
  CHECK(many(2200) == begin + "26412 tasks, 25600 at most: cut into larger ones (cut.chunk, cut.task_rows)");
  CHECK(many(2132, 5) ==
        begin + "25601 tasks, 25600 at most: cut into larger ones (cut.chunk, cut.task_rows)");
  CHECK(many(2132, 4) == "no error");
}
