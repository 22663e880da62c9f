#pragma once

#include <span>

#include "models/graph/row_form.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// Reads how rows move from the block `experiment`: `rows`, `movers`. Must be called after the run options have been
// read. If copy engines move rows, they become workers of the experiment. Notes what is wrong.
RowForm read_row_form(const Config& block, Experiment& experiment);

// Notes an error for each entry of `movers` that fits no operator of any of the graphs, which are those of all passes,
// also of ones that are not run.
void check_movers(const Config& block, const RowForm& rows, std::span<const Graph> passes);

// Reads what read_row_form() reads from what the experiment was read from.
RowForm row_form_of(const Experiment& experiment);

}  // namespace a3sim
