// Checks at compile time that the structures of a schedule have the layout of the schema.
#include <cstddef>
#include <type_traits>

#include "scheduler/ssc/ssc.h"
#include "scheduler/ssc/ssc_generated.h"

namespace a3sim {
namespace {

// Tables are read in place, so each field must be where the schema puts it. Explicit instantiations may name
// the private members of generated structs; the member pointers make every instantiation different.
template <class T, bool is_enum = std::is_enum_v<T>>
struct Stored {
  using Type = T;
};
template <class T>
struct Stored<T, true> {
  using Type = std::underlying_type_t<T>;
};
template <class Struct, class Field>
typename Stored<Field>::Type field_type(Field Struct::*);
template <auto ours, auto theirs, std::size_t our_offset, std::size_t their_offset>
struct SameField {
  static_assert(our_offset == their_offset);
  static_assert(std::is_same_v<decltype(field_type(ours)), decltype(field_type(theirs))>);
};
template <class Ours, class Theirs>
struct SameSize {
  static_assert(sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs));
  static_assert(std::is_trivially_copyable_v<Ours> && std::is_standard_layout_v<Ours>);
};
#define A3SIM_SAME(Ours, Theirs, field)                                                 \
  template struct SameField<&Ours::field, &fb::Theirs::field##_, offsetof(Ours, field), \
                            offsetof(fb::Theirs, field##_)>

template struct SameSize<TaskDescriptor, fb::Task>;
A3SIM_SAME(TaskDescriptor, Task, task_type);
A3SIM_SAME(TaskDescriptor, Task, queue_type);
A3SIM_SAME(TaskDescriptor, Task, worker_set);
A3SIM_SAME(TaskDescriptor, Task, op);
A3SIM_SAME(TaskDescriptor, Task, num_inputs);
A3SIM_SAME(TaskDescriptor, Task, num_outputs);
A3SIM_SAME(TaskDescriptor, Task, dependent_event);
A3SIM_SAME(TaskDescriptor, Task, trigger_event);
A3SIM_SAME(TaskDescriptor, Task, trigger_rank);
A3SIM_SAME(TaskDescriptor, Task, first_region);
A3SIM_SAME(TaskDescriptor, Task, task_index);
A3SIM_SAME(TaskDescriptor, Task, task_split_num);
A3SIM_SAME(TaskDescriptor, Task, task_split_value);
A3SIM_SAME(TaskDescriptor, Task, tiling_data_position);
A3SIM_SAME(TaskDescriptor, Task, stage);
A3SIM_SAME(TaskDescriptor, Task, expert);
A3SIM_SAME(TaskDescriptor, Task, gexpert);
A3SIM_SAME(TaskDescriptor, Task, src);
A3SIM_SAME(TaskDescriptor, Task, dst);
A3SIM_SAME(TaskDescriptor, Task, row);
A3SIM_SAME(TaskDescriptor, Task, tile);
A3SIM_SAME(TaskDescriptor, Task, chunk);
template struct SameSize<Region, fb::Region>;
A3SIM_SAME(Region, Region, tensor);
A3SIM_SAME(Region, Region, rank);
A3SIM_SAME(Region, Region, row_begin);
A3SIM_SAME(Region, Region, row_end);
A3SIM_SAME(Region, Region, share);
A3SIM_SAME(Region, Region, shares);
A3SIM_SAME(Region, Region, flags);
template struct SameSize<EventDescriptor, fb::Event>;
A3SIM_SAME(EventDescriptor, Event, threshold);
A3SIM_SAME(EventDescriptor, Event, done);
template struct SameSize<Tiling, fb::Tiling>;
A3SIM_SAME(Tiling, Tiling, base_m);
A3SIM_SAME(Tiling, Tiling, base_n);
A3SIM_SAME(Tiling, Tiling, base_k);
A3SIM_SAME(Tiling, Tiling, step_k);
A3SIM_SAME(Tiling, Tiling, l1_buffers);
A3SIM_SAME(Tiling, Tiling, l0_buffers);
A3SIM_SAME(Tiling, Tiling, l0c_buffers);
A3SIM_SAME(Tiling, Tiling, order);
A3SIM_SAME(Tiling, Tiling, unit_flag);
A3SIM_SAME(Tiling, Tiling, grid_m);
A3SIM_SAME(Tiling, Tiling, grid_n);
template struct SameSize<WorkerSet, fb::WorkerSet>;
A3SIM_SAME(WorkerSet, WorkerSet, queue_type);
A3SIM_SAME(WorkerSet, WorkerSet, first);
A3SIM_SAME(WorkerSet, WorkerSet, count);
#undef A3SIM_SAME

}  // namespace
}  // namespace a3sim
