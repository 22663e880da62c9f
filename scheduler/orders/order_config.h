#pragma once

#include "scheduler/orders/order.h"
#include "sim/core/config/config.h"

namespace a3sim {

// Reads an order (the block `order:` of a configuration; configs/orders/ holds the shipped ones):
//   name: ratr
//   ctq: [stage, expert, tile]    sort keys, or ctq_list: FILE.csv, relative to the configuration
//   vtq: [stage, expert, chunk]   or vtq_list: FILE.csv
//   assignment: cyclic            or shared
//   pools: {comm: {operators: [Dispatch*, Combine*], workers: 25}}
//   limit: {Dispatch*: 10}
//   workers: {Dispatch: src}
// Errors are noted in the configuration's Diagnostics: unknown attributes with their position in the key,
// lines of the CSV. An operator that does not exist is found only when a graph is compiled.
OrderSpec read_order(const Config& config);

}  // namespace a3sim
