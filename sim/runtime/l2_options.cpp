#include "sim/runtime/l2_options.h"

#include "sim/memory/l2/policy.h"

namespace a3sim {

L2Options read_l2(const Config& config) {
  L2Options l2;
  l2.spec.policy = config.registered<L2Policy>("policy", l2.spec.policy).value_or(l2.spec.policy);
  l2.exact = config.choice("mode", {"pieces", "lines"}, "pieces") == 1;
  l2.start = config.choice("start", L2Start::kCold);
  l2.spec.hash = config.choice("hash", L2Hash::kXor);
  if (!l2.exact) config.let_stand("hash");
  const Config hints = config.map("hints");
  for (const std::string& op : hints.names()) {
    const Config entry = hints.map(op);
    l2.read_hints[op] = entry.choice("read", L2Hint::kNormal);
    l2.write_hints[op] = entry.choice("write", L2Hint::kNormal);
    entry.finish();
  }
  config.finish();
  return l2;
}

}  // namespace a3sim
