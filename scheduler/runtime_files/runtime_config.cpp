#include "scheduler/runtime_files/runtime_config.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kGroupList = 512, kIndexNums = 4, kLists = 3;
constexpr std::size_t kWord = 4, kTaskWords = 144, kProfileWords = 2;

// Walks the structure field by field. Reading and writing use the same walk, so they cannot differ.
template <bool kWrite>
class Walk {
 public:
  using Bytes = std::conditional_t<kWrite, std::string&, std::string_view>;
  explicit Walk(Bytes bytes) : bytes_(bytes) {}

  template <class Number>
  void number(Number& value) {
    if constexpr (kWrite) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      std::memcpy(&value, bytes_.data() + at_, sizeof value);
    }
    at_ += sizeof value;
  }
  template <class Array>
  void numbers(Array& values) {
    for (auto& value : values) number(value);
  }
  void align(std::size_t to) {
    while (at_ % to != 0) {
      std::uint8_t nothing = 0;
      number(nothing);
    }
  }
  void skip(std::size_t bytes) {
    if constexpr (kWrite) bytes_.append(bytes, '\0');
    at_ += bytes;
  }
  std::size_t at() const { return at_; }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

template <class W>
void tensor(W& walk, RuntimeTensorDesc& t) {
  walk.number(t.tensor_type);
  walk.number(t.num_dims);
  walk.numbers(t.dim);
  walk.numbers(t.stride);
  for (std::uint32_t* field : {&t.data_type, &t.input_position, &t.base_ptr_offset, &t.transpose_flag,
                               &t.dynamic_shape, &t.dynamic_dim})
    walk.number(*field);
}

template <class W>
void task(W& walk, RuntimeTaskDesc& t, bool profiled) {
  for (std::uint32_t* field : {&t.task_type, &t.task_aicore_type, &t.num_inputs, &t.num_outputs,
                               &t.trigger_event, &t.dependent_event})
    walk.number(*field);
  for (RuntimeTensorDesc& input : t.inputs) tensor(walk, input);
  for (RuntimeTensorDesc& output : t.outputs) tensor(walk, output);
  for (std::uint32_t* field : {&t.tiling_data_position, &t.tiling_data_offset, &t.task_index,
                               &t.task_split_num, &t.task_split_value})
    walk.number(*field);
  walk.numbers(t.extra_value);
  if (!profiled) return;
  walk.number(t.profile_desc_id);
  walk.number(t.profile_owner_id);
}

std::size_t task_bytes(bool profiled) { return kWord * (kTaskWords + (profiled ? kProfileWords : 0)); }

// Fields of the file that RuntimeConfig does not have.
struct Header {
  std::uint32_t task_num = 0;
  std::array<std::int32_t, kRuntimeEvents> all_event_num_triggers{};
  std::array<std::uint32_t, kIndexNums> task_index_num{};  // by type of core, from 1 on
};

// Tables have as many entries as are walked; the rest is zeros. `checked` is called when the counts are
// known, and its exception ends the walk before they are used.
template <class W, class Checked>
void structure(W& walk, RuntimeConfig& config, Header& header, Checked&& checked) {
  walk.number(header.task_num);
  walk.number(config.num_workers);
  walk.number(config.queue_capacity);
  walk.number(config.config_extra_value);
  walk.numbers(header.all_event_num_triggers);
  checked();
  config.tasks.resize(header.task_num);
  for (RuntimeTaskDesc& t : config.tasks) task(walk, t, config.profiled);
  walk.skip((kRuntimeTasks - config.tasks.size()) * task_bytes(config.profiled));
  config.events.resize(kRuntimeEvents);
  for (RuntimeEventDesc& e : config.events) {
    for (std::uint32_t* field : {&e.event_type, &e.num_triggers, &e.first_task_id, &e.last_task_id})
      walk.number(*field);
  }
  walk.numbers(header.task_index_num);
  checked();
  for (std::size_t i = 0; i < kLists; ++i) {
    config.task_indices[i].resize(header.task_index_num[i + 1]);
    walk.numbers(config.task_indices[i]);
    walk.skip((kRuntimeTasks - config.task_indices[i].size()) * kWord);
  }
  walk.numbers(config.dynamic_data);
  walk.align(sizeof(std::int64_t));
  config.grouped_matmul_group_list.resize(kGroupList);
  walk.numbers(config.grouped_matmul_group_list);
  walk.numbers(config.atomic_add_values);
  if (config.profiled) walk.numbers(config.profiling);
  walk.align(sizeof(std::int64_t));
}

std::string written(RuntimeConfig config) {
  Header header;
  header.task_num = static_cast<std::uint32_t>(config.tasks.size());
  for (std::size_t e = 0; e < config.events.size(); ++e)
    header.all_event_num_triggers[e] = static_cast<std::int32_t>(config.events[e].num_triggers);
  for (std::size_t i = 0; i < kLists; ++i)
    header.task_index_num[i + 1] = static_cast<std::uint32_t>(config.task_indices[i].size());
  std::string bytes;
  Walk<true> walk(bytes);
  structure(walk, config, header, [] {});
  return bytes;
}

std::size_t size_of(bool profiled) {
  RuntimeConfig empty;
  empty.profiled = profiled;
  return written(std::move(empty)).size();
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  RuntimeConfig read() {
    static const std::size_t kPlain = size_of(false), kProfiled = size_of(true);
    config_.profiled = bytes_.size() == kProfiled;
    if (bytes_.size() != kPlain && bytes_.size() != kProfiled) {
      fail("{} bytes; a schedule of the public runtime has {}, or {} with fields for its in-kernel trace",
           bytes_.size(), kPlain, kProfiled);
    }
    Walk<false> walk(bytes_);
    structure(walk, config_, header_, [this] { check_counts(); });
    for (const std::int32_t triggers : header_.all_event_num_triggers) {
      if (triggers < 0) fail("an event with {} triggers", triggers);
    }
    check_events();
    check_tasks();
    check_lists();
    trim();
    return std::move(config_);
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(name_ + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  void check_counts() const {
    if (header_.task_num > kRuntimeTasks) fail("task_num is {}, at most {}", header_.task_num, kRuntimeTasks);
    for (std::size_t i = 0; i < kIndexNums; ++i) {
      if (header_.task_index_num[i] > kRuntimeTasks)
        fail("task_index_num[{}] is {}, at most {}", i, header_.task_index_num[i], kRuntimeTasks);
    }
  }

  void check_events() const {
    for (std::size_t e = 0; e < kRuntimeEvents; ++e) {
      const auto counted = static_cast<std::uint32_t>(header_.all_event_num_triggers[e]);
      if (config_.events[e].num_triggers == counted) continue;
      fail("event {}: all_events has {} triggers, all_event_num_triggers {}", e,
           config_.events[e].num_triggers, counted);
    }
  }

  void check_tasks() const {
    for (std::size_t i = 0; i < config_.tasks.size(); ++i) {
      const RuntimeTaskDesc& t = config_.tasks[i];
      const auto most = [&](const char* what, std::uint32_t value, std::uint32_t limit) {
        if (value > limit) fail("task {}: {} is {}, at most {}", i, what, value, limit);
      };
      most("num_inputs", t.num_inputs, static_cast<std::uint32_t>(t.inputs.size()));
      most("num_outputs", t.num_outputs, static_cast<std::uint32_t>(t.outputs.size()));
      most("trigger_event", t.trigger_event, kRuntimeEvents - 1);
      most("dependent_event", t.dependent_event, kRuntimeEvents - 1);
      for (const auto* tensors : {&t.inputs, &t.outputs}) {
        const std::uint32_t count = tensors == &t.inputs ? t.num_inputs : t.num_outputs;
        for (std::uint32_t k = 0; k < count; ++k) most("num_dims", (*tensors)[k].num_dims, 4);
      }
      if (t.task_aicore_type == 0 || t.task_aicore_type > kLists)
        fail("task {}: task_aicore_type is {}; 1 (cube), 2 (vector) or 3 (mix) expected", i,
             t.task_aicore_type);
    }
  }

  void check_lists() const {
    std::vector<bool> listed(config_.tasks.size(), false);
    constexpr std::string_view kNames[] = {"cube_task_indices", "vector_task_indices", "mix_task_indices"};
    for (std::size_t list = 0; list < kLists; ++list) {
      for (std::size_t i = 0; i < config_.task_indices[list].size(); ++i) {
        const std::uint32_t t = config_.task_indices[list][i];
        if (t >= listed.size()) fail("{}[{}] is {}, of {} tasks", kNames[list], i, t, listed.size());
        if (listed[t]) fail("{}[{}]: task {} is listed twice", kNames[list], i, t);
        if (config_.tasks[t].task_aicore_type != list + 1)
          fail("{}[{}]: task {} has task_aicore_type {}", kNames[list], i, t,
               config_.tasks[t].task_aicore_type);
        listed[t] = true;
      }
    }
    for (std::size_t t = 0; t < listed.size(); ++t) {
      if (!listed[t]) fail("task {} stands in no list of indices", t);
    }
  }

  void trim() {
    while (!config_.events.empty() && config_.events.back() == RuntimeEventDesc{}) config_.events.pop_back();
    while (!config_.grouped_matmul_group_list.empty() && config_.grouped_matmul_group_list.back() == 0)
      config_.grouped_matmul_group_list.pop_back();
  }

  std::string_view bytes_;
  const std::string& name_;
  RuntimeConfig config_;
  Header header_;
};

}  // namespace

RuntimeConfig read_runtime_config(std::string_view bytes, const std::string& name) {
  return Reader(bytes, name).read();
}

std::string write_runtime_config(const RuntimeConfig& config) {
  bool fits = config.tasks.size() <= kRuntimeTasks && config.events.size() <= kRuntimeEvents &&
              config.grouped_matmul_group_list.size() <= kGroupList;
  for (const auto& list : config.task_indices) fits &= list.size() <= kRuntimeTasks;
  if (!fits) throw std::logic_error("a runtime configuration has tables of fixed size");
  return written(config);
}

}  // namespace a3sim
