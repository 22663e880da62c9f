#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

namespace a3sim {

// Makes the view `points_SWEEP`: a row for each point of the sweep, in its order, with its status, its error, a column for
// each axis and one for each metric, for whoever reads the database with other tools. An axis whose values are all
// numbers has numbers. Metrics of all passes together have their names, those of a pass are `forward_latency`; what is
// neither letter nor digit is '_'. Replaces a view that is there.
void make_flat_view(SQLite::Database& database, const std::string& sweep);
// The same for each sweep of the database.
void make_flat_views(SQLite::Database& database);

}  // namespace a3sim
