#pragma once

#include <string>
#include <vector>

#include "sim/core/config/config.h"

namespace a3sim {

// A configuration parsed from text, and its errors.
struct ConfigText {
  explicit ConfigText(const std::string& text, const std::vector<std::string>& overrides = {})
      : config(Config::parse(text, "f.yaml", overrides, diagnostics)) {}

  // Returns all messages, a line each.
  std::string errors() const {
    std::string all;
    for (const std::string& message : diagnostics.messages()) all += message + "\n";
    return all;
  }

  Diagnostics diagnostics;
  Config config;
};

}  // namespace a3sim
