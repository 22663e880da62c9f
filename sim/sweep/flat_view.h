#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

namespace a3sim {

// Makes the view `points_SWEEP` for other tools: a row for each point of the sweep, in its order, with its
// status, its error, and a column for each axis and metric. An axis whose values are all numbers has
// numbers. Metrics of all passes together keep their names; those of a pass are named `forward_latency`.
// Other characters than letters and digits become '_'. Replaces an existing view.
void make_flat_view(SQLite::Database& database, const std::string& sweep);
// Makes the view of each sweep in the database.
void make_flat_views(SQLite::Database& database);

}  // namespace a3sim
