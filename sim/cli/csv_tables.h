#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace a3sim {

// Returns the tables of a result as comma-separated values: every list of objects in the JSON is a table, whose columns are
// the objects' keys. Where there are several, each begins with a line '# path.to.table', and an empty line lies between two.
// A result without a list is one table with one row. Cells have the JSON's whole values.
std::string csv_of(const nlohmann::ordered_json& json);

}  // namespace a3sim
