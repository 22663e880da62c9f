#include "sim/study/reproduction.h"

#include <cstdlib>

namespace a3sim {

nlohmann::ordered_json points_json(const std::string& experiment, const std::vector<Point>& points) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Point& point : points) {
    nlohmann::ordered_json item{{"experiment", experiment}, {"case", point.kase},   {"metric", point.metric},
                                {"unit", point.unit},       {"value", point.value}, {"reference", nullptr},
                                {"source", nullptr}};
    if (point.reference) {
      item["reference"] = *point.reference;
      item["source"] = point.source;
    }
    json.push_back(std::move(item));
  }
  return json;
}

std::filesystem::path configs_folder() {
  const char* folder = std::getenv("A3SIM_CONFIGS");
  return folder && *folder ? folder : A3SIM_CONFIG_DIR;
}

}  // namespace a3sim
