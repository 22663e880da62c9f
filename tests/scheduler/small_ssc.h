#pragma once

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// Returns a small schedule of rank 1 of 2 with every kind of entry: two puts (one to rank 0), a matrix tile
// of two shares after them, and then a vector task, which triggers rank 0's event.
inline SscParts small_parts() {
  SscParts p;
  p.shape = {.tokens = 4, .hidden = 8, .intermediate = 6, .top_k = 1, .experts_per_rank = 1, .ep = 2};
  p.rank = RankId{1};
  p.sent_capacity = {3, 1};
  p.received_capacity = {1, 2};
  p.graph = "small";
  p.order = "by hand";
  p.assignment = Assignment::kShared;
  p.kinds = aic_and_aiv(2, 3);
  p.tensors = {{"x", Layout::kSent, DataType::kBf16, 4, 8, true},
               {"received", Layout::kReceived, DataType::kBf16, 3, 8, false},
               {"w", Layout::kWeights, DataType::kBf16, 8, 12, true},
               {"h \"q\"\n", Layout::kReceived, DataType::kFp32, 3, 12, false}};
  p.operators = {{"Dispatch", "Dispatch", 0, false, {TensorId{0}}, {TensorId{1}}},
                 {"GMM1", "GroupedMatmul", 1, true, {TensorId{1}, TensorId{2}}, {TensorId{3}}},
                 {"End", "Nothing", 2, false, {TensorId{3}}, {}}};
  p.tilings = {{16, 32, 64, 4}};
  p.regions = {{0, 1, 0, 3, 0, 1, 0},        {1, 0, 0, 3, 0, 1, 0},                         // put to rank 0
               {0, 1, 3, 4, 0, 1, 0},        {1, 1, 1, 2, 0, 1, 0},                         // put at home
               {1, 1, 0, 3, 0, 1, 0},        {2, 1, 0, 8, 0, 1, 0}, {3, 1, 0, 3, 0, 2, 0},  // share 0
               {1, 1, 0, 3, 0, 1, 0},        {2, 1, 0, 8, 0, 1, 0}, {3, 1, 0, 3, 1, 2, 0},  // share 1
               {3, 1, 0, 3, 0, 1, kMetadata}};
  p.events = {{2, 0}, {2, 0}, {1, 1}};
  p.worker_sets = {{0, 0, 2}, {1, 0, 1}, {1, 1, 2}};
  const auto put = static_cast<std::uint16_t>(TaskType::kPutMemSignal);
  const auto gmm = std::uint16_t{104};
  const auto join = static_cast<std::uint16_t>(TaskType::kJoin);
  p.tasks = {{put, 1, 1, 0, 1, 1, kNone, 0, 0, 0, 0, 2, 128, kNone, 0, 0, 0, 1, 0, 0, 0, 5},
             {put, 1, 1, 0, 1, 1, kNone, 0, 1, 2, 1, 2, 128, kNone, 0, 0, 1, 1, 1, 1, 0, 6},
             {gmm, 0, 0, 1, 2, 1, 0, 1, 1, 4, 0, 2, 3, 0, 1, 0, 1, 1, 1, 0, 0, 0},
             {gmm, 0, 0, 1, 2, 1, 0, 1, 1, 7, 1, 2, 3, 0, 1, 0, 1, 1, 1, 0, 1, 0},
             {join, 1, 2, 2, 1, 0, 1, 9, 0, 10, 0, 1, 1, kNone, 2, kNoExpert, kNone, 1, 1, 0, 0, 0}};
  p.queues = {{3, 2}, {1, 0, 4}};
  return p;
}

}  // namespace a3sim
