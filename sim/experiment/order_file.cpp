#include "sim/experiment/order_file.h"

#include <algorithm>
#include <utility>

#include "scheduler/order_config.h"
#include "sim/core/config/config.h"
#include "sim/experiment/configs_folder.h"

namespace a3sim {

OrderSpec read_order_file(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  if (!root.has("order") && diagnostics.empty()) {
    diagnostics.error(root.mark(), "order",
                      "missing: an order stands below this key, as in configs/orders/full.yaml");
    diagnostics.throw_if_any();
  }
  OrderSpec order = read_order(root.map("order"));
  root.finish();
  diagnostics.throw_if_any();
  return order;
}

std::vector<std::filesystem::path> shipped_order_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / "orders"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

Experiment with_order(Experiment experiment, OrderSpec order) {
  order.elsewhere = std::move(experiment.order.elsewhere);
  experiment.order = std::move(order);
  return experiment;
}

}  // namespace a3sim
