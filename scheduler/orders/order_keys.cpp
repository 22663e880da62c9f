#include "scheduler/orders/order_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

struct NamedAttribute {
  std::string name;
  double Attributes::* member;
};

const std::vector<NamedAttribute>& attributes() {
  static const std::vector<NamedAttribute> kAttributes = {
      {"op", &Attributes::op},           {"stage", &Attributes::stage}, {"expert", &Attributes::expert},
      {"gexpert", &Attributes::gexpert}, {"src", &Attributes::src},     {"dst", &Attributes::dst},
      {"rank", &Attributes::rank},       {"ep", &Attributes::ep},       {"distance", &Attributes::distance},
      {"node", &Attributes::node},       {"row", &Attributes::row},     {"rows", &Attributes::rows},
      {"tile", &Attributes::tile},       {"chunk", &Attributes::chunk}, {"index", &Attributes::index},
      {"block", &Attributes::block},     {"bytes", &Attributes::bytes}, {"flops", &Attributes::flops},
      {"depth", &Attributes::depth},     {"path", &Attributes::path},   {"batch", &Attributes::batch}};
  return kAttributes;
}

struct ZeroRemainder {};

double remainder(double a, double b) {
  if (b == 0) throw ZeroRemainder{};
  const double size = std::abs(b);
  const double r = std::fmod(a, size);
  return r < 0 ? r + size : r;
}

double smallest(const double* values, int count) { return *std::min_element(values, values + count); }
double largest(const double* values, int count) { return *std::max_element(values, values + count); }
double absolute(double value) { return std::abs(value); }
double round_down(double value) { return std::floor(value); }

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Calls visit(position, name) for each name with a capital letter. Numbers (`1E6`) are not names.
void each_operator(const std::string& text,
                   const std::function<void(std::size_t, const std::string&)>& visit) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!in_name(text[i])) continue;
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    if (std::isupper(static_cast<unsigned char>(text[i]))) visit(i, text.substr(i, end - i));
    i = end;
  }
}

// Rejects `=`, which would assign to an attribute.
std::size_t find_assignment(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const bool compares = i > 0 && std::string_view("<>!=").find(text[i - 1]) != std::string_view::npos;
    if (!compares && (i + 1 == text.size() || text[i + 1] != '=')) return i;
  }
  return std::string::npos;
}

// Positions count from 1.
[[noreturn]] void refuse(const std::string& key, std::size_t position, const std::string& what) {
  throw InputError(fmt::format("key '{}', position {}: {}", key, position, what));
}

std::string explain(const mu::ParserError& error) {
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN: {
      const std::string_view near = closest(error.GetToken(), attribute_names());
      return fmt::format("unknown name '{}'{}; attributes: {}", error.GetToken(),
                         near.empty() ? "" : fmt::format("; did you mean '{}'?", near),
                         fmt::join(attribute_names(), ", "));
    }
    case mu::ecEMPTY_EXPRESSION:
      return "it is empty";
    case mu::ecUNEXPECTED_EOF:
      return "it ends too early";
    case mu::ecMISSING_PARENS:
      return "a parenthesis is not closed";
    case mu::ecMISSING_ELSE_CLAUSE:
      return "a ? without its :";
    case mu::ecTOO_MANY_PARAMS:
    case mu::ecTOO_FEW_PARAMS:
      return fmt::format("wrong number of arguments of '{}'", error.GetToken());
    default:
      return error.GetToken().empty() ? error.GetMsg() : fmt::format("unexpected '{}'", error.GetToken());
  }
}

struct UnknownOperator {
  std::string what;
};

// Returns the value of an operator's name. Throws UnknownOperator.
using Resolve = std::function<double(const std::string& name)>;

// One compiled key, bound to the attributes of `task`.
mu::Parser parse(const std::string& key, Attributes& task, const Resolve& resolve) {
  mu::Parser parser;
  parser.ClearFun();
  parser.ClearConst();
  parser.DefineFun("min", smallest);
  parser.DefineFun("max", largest);
  parser.DefineFun("abs", absolute);
  parser.DefineFun("floor", round_down);
  parser.DefineOprt("%", remainder, mu::prMUL_DIV, mu::oaLEFT);
  for (const NamedAttribute& a : attributes()) parser.DefineVar(a.name, &(task.*a.member));
  if (const std::size_t at = find_assignment(key); at != std::string::npos)
    refuse(key, at + 1, "== compares, = does not");
  try {
    each_operator(key, [&](std::size_t position, const std::string& name) {
      try {
        parser.DefineConst(name, resolve(name));
      } catch (const UnknownOperator& unknown) {
        refuse(key, position + 1, unknown.what);
      }
    });
    parser.SetExpr(key);
    int values = 0;
    parser.Eval(values);  // parses
    if (values != 1) refuse(key, key.find(',') + 1, "one value expected: list the keys one by one");
  } catch (const ZeroRemainder&) {
    // The key parses. Whether a task causes this error shows when it is evaluated.
  } catch (const mu::ParserError& error) {
    if (error.GetPos() < 0) throw InputError(fmt::format("key '{}': {}", key, explain(error)));
    refuse(key, std::min(static_cast<std::size_t>(error.GetPos()), key.size()) + 1, explain(error));
  }
  return parser;
}

// Returns a task whose attributes are all 1, so that parsing does not divide by zero.
Attributes ones() {
  Attributes a;
  for (const NamedAttribute& named : attributes()) a.*named.member = 1;
  return a;
}

}  // namespace

std::span<const std::string> attribute_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const NamedAttribute& a : attributes()) names.push_back(a.name);
    return names;
  }();
  return kNames;
}

Attributes attributes_of(const TaskDescriptor& td, RankId rank, std::uint32_t ep) {
  Attributes a;
  a.op = td.op;
  a.stage = td.stage;
  a.expert = td.expert == kNoExpert ? -1.0 : td.expert;
  a.gexpert = td.gexpert == kNone ? -1.0 : td.gexpert;
  a.src = td.src;
  a.dst = td.dst;
  a.rank = a3sim::index(rank);
  a.ep = ep;
  a.row = td.row;
  a.tile = td.tile;
  a.chunk = td.chunk;
  a.index = td.task_index;
  return a;
}

std::string key_error(const std::string& key) {
  Attributes task = ones();
  try {
    parse(key, task, [](const std::string&) { return 0.0; });
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

struct KeyProgram::Impl {
  Attributes task = ones();  // the parsers are bound to it
  std::vector<std::string> keys, operators;
  std::vector<mu::Parser> parsers;
  // One entry per key: the attribute, if the key is just one, as most are. Null: the parser computes the key.
  std::vector<double Attributes::*> plain;
  std::string where;

  [[noreturn]] void fail(std::size_t key, const char* what) const {
    const auto op = static_cast<std::size_t>(task.op);
    throw InputError(fmt::format("{}: key '{}' {} for task {} of '{}' on rank {}", where, keys[key], what,
                                 task.index, op < operators.size() ? operators[op] : "?", task.rank));
  }
};

KeyProgram::KeyProgram(const OrderSpec& order, CoreUnit unit, std::span<const std::string> operators)
    : impl_(std::make_unique<Impl>()) {
  impl_->keys = order.keys[static_cast<std::size_t>(unit)];
  impl_->operators.assign(operators.begin(), operators.end());
  impl_->where = fmt::format("{}: order '{}', {}", order.where, order.name, plan_name(unit));
  const auto resolve = [&](const std::string& name) -> double {
    const auto it = std::ranges::find(operators, name);
    if (it != operators.end()) return static_cast<double>(it - operators.begin());
    // no task of this graph belongs to it
    if (std::ranges::find(order.elsewhere, name) != order.elsewhere.end()) return -1;
    std::vector<std::string> known(operators.begin(), operators.end());
    known.insert(known.end(), order.elsewhere.begin(), order.elsewhere.end());
    throw UnknownOperator{fmt::format("unknown operator '{}'{}", name, suggestion(name, known))};
  };
  for (const std::string& key : impl_->keys) {
    const auto named = std::ranges::find(attributes(), key, &NamedAttribute::name);
    impl_->plain.push_back(named == attributes().end() ? nullptr : named->member);
    try {
      impl_->parsers.push_back(parse(key, impl_->task, resolve));
    } catch (const InputError& error) {
      throw InputError(impl_->where + ": " + error.what());
    }
  }
}

KeyProgram::~KeyProgram() = default;
KeyProgram::KeyProgram(KeyProgram&&) noexcept = default;
KeyProgram& KeyProgram::operator=(KeyProgram&&) noexcept = default;

std::size_t KeyProgram::size() const { return impl_->keys.size(); }

void KeyProgram::evaluate(const Attributes& task, std::span<double> out) {
  impl_->task = task;
  for (std::size_t k = 0; k < impl_->parsers.size(); ++k) {
    if (double Attributes::* const attribute = impl_->plain[k]) {
      out[k] = task.*attribute;
      continue;
    }
    try {
      out[k] = impl_->parsers[k].Eval();
    } catch (const ZeroRemainder&) {
      impl_->fail(k, "takes a remainder by 0");
    }
    if (!std::isfinite(out[k])) impl_->fail(k, "has no finite value");
  }
}

}  // namespace a3sim
