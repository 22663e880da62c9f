#pragma once

#include "scheduler/ssc/ssc.h"

// The items of a schedule as lists of named fields: one list serves writing, reading and the names of
// columns. An Io has
//   number(name, value)             any unsigned integer
//   optional(name, value, none)     an integer that may be absent
//   choice<Enum>(name, value)       an enumeration with names
//   queue(name, value)              a queue, by its name
//   text(name, value), flag(name, value), ids(name, value)
namespace a3sim::ssc_text {

template <class Io>
void fields(Io& io, MoeShape& s) {
  io.number("tokens", s.tokens);
  io.number("hidden", s.hidden);
  io.number("intermediate", s.intermediate);
  io.number("top_k", s.top_k);
  io.number("experts_per_rank", s.experts_per_rank);
  io.number("ep", s.ep);
  io.template choice<DataType>("dtype", s.dtype);
}

template <class Io>
void fields(Io& io, TensorInfo& t) {
  io.text("name", t.name);
  io.template choice<Layout>("layout", t.layout);
  io.template choice<DataType>("dtype", t.dtype);
  io.number("rows", t.rows);
  io.number("cols", t.cols);
  io.flag("external", t.external);
}

template <class Io>
void fields(Io& io, OperatorInfo& o) {
  io.text("name", o.name);
  io.text("type", o.type);
  io.number("stage", o.stage);
  io.flag("transposed", o.transposed);
  io.ids("inputs", o.inputs);
  io.ids("outputs", o.outputs);
}

template <class Io>
void fields(Io& io, Tiling& t) {
  io.number("base_m", t.base_m);
  io.number("base_n", t.base_n);
  io.number("base_k", t.base_k);
  io.number("step_k", t.step_k);
  io.number("l1_buffers", t.l1_buffers);
  io.number("l0_buffers", t.l0_buffers);
  io.number("l0c_buffers", t.l0c_buffers);
  io.template choice<BlockOrder>("order", t.order);
  io.template choice<UnitFlag>("unit_flag", t.unit_flag);
  io.number("grid_m", t.grid_m);
  io.number("grid_n", t.grid_n);
  std::uint8_t strip = t.strip;  // bit fields have no references
  bool loads_ahead = t.loads_ahead != 0, rotate_k = t.rotate_k != 0;
  io.number("strip", strip);
  io.flag("loads_ahead", loads_ahead);
  io.flag("rotate_k", rotate_k);
  t.strip = strip & kMostStrip;
  t.loads_ahead = loads_ahead ? 1 : 0;
  t.rotate_k = rotate_k ? 1 : 0;
}

template <class Io>
void fields(Io& io, WorkerKind& k) {
  io.text("name", k.name);
  io.number("workers", k.count);
  io.flag("matrix", k.units[static_cast<std::size_t>(CoreUnit::kMatrix)]);
  io.flag("vector", k.units[static_cast<std::size_t>(CoreUnit::kVector)]);
  io.text("operators", k.operators);
}

template <class Io>
void fields(Io& io, WorkerSet& w) {
  io.queue("queue", w.queue_type);
  io.number("first", w.first);
  io.number("count", w.count);
}

template <class Io>
void fields(Io& io, EventDescriptor& e) {
  io.number("threshold", e.threshold);
  io.number("done", e.done);
}

template <class Io>
void fields(Io& io, Region& r) {
  io.number("tensor", r.tensor);
  io.number("rank", r.rank);
  io.number("row_begin", r.row_begin);
  io.number("row_end", r.row_end);
  io.number("share", r.share);
  io.number("shares", r.shares);
  io.number("flags", r.flags);
}

template <class Io>
void fields(Io& io, TaskDescriptor& t) {
  io.number("task_type", t.task_type);
  io.queue("queue", t.queue_type);
  io.number("worker_set", t.worker_set);
  io.number("op", t.op);
  io.number("num_inputs", t.num_inputs);
  io.number("num_outputs", t.num_outputs);
  io.optional("dependent_event", t.dependent_event, kNone);
  io.number("trigger_event", t.trigger_event);
  io.number("trigger_rank", t.trigger_rank);
  io.number("first_region", t.first_region);
  io.number("task_index", t.task_index);
  io.number("task_split_num", t.task_split_num);
  io.number("task_split_value", t.task_split_value);
  io.optional("tiling", t.tiling_data_position, kNone);
  io.number("stage", t.stage);
  io.optional("expert", t.expert, kNoExpert);
  io.optional("gexpert", t.gexpert, kNone);
  io.number("src", t.src);
  io.number("dst", t.dst);
  io.number("row", t.row);
  io.number("tile", t.tile);
  io.number("chunk", t.chunk);
}

}  // namespace a3sim::ssc_text
