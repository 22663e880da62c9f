#include "models/traffic/array_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/traffic/json_record.h"
#include "sim/core/zip_file.h"

namespace a3sim {
namespace {

constexpr std::string_view kNumpy("\x93NUMPY", 6), kZip("PK\x03\x04", 4);
constexpr std::size_t kMostOfArray = std::size_t{1} << 30;

// An array of NumPy: numbers of one type, the last dimension first.
class Array {
 public:
  explicit Array(std::string bytes) : bytes_(std::move(bytes)) {
    if (bytes_.size() < 12 || !bytes_.starts_with(kNumpy))
      throw std::invalid_argument("no array of NumPy (.npy)");
    const bool first = bytes_[6] == 1;
    std::size_t length = 0;
    for (std::size_t b = first ? 2 : 4; b-- > 0;)
      length = length << 8U | static_cast<unsigned char>(bytes_[8 + b]);
    at_ = (first ? 10 : 12) + length;
    if (at_ > bytes_.size()) throw std::invalid_argument("an array that ends in its header");
    read_header(std::string_view(bytes_).substr(first ? 10 : 12, length));
  }

  const std::vector<std::size_t>& shape() const { return shape_; }
  bool is_mask() const { return kind_ == 'b'; }
  std::size_t size() const {
    std::size_t size = 1;
    for (const std::size_t n : shape_) size *= n;
    return size;
  }
  // Returns a number; floating ones are cut.
  std::int64_t integer(std::size_t i) const {
    if (kind_ == 'f') return static_cast<std::int64_t>(real(i));
    std::uint64_t value = 0;
    for (std::size_t b = width_; b-- > 0;)
      value = value << 8U | static_cast<unsigned char>(bytes_[at_ + i * width_ + b]);
    if (kind_ == 'i' && width_ < 8 && (value >> (8 * width_ - 1)) != 0)
      value |= ~std::uint64_t{0} << (8 * width_);
    return static_cast<std::int64_t>(value);
  }
  double real(std::size_t i) const {
    if (kind_ != 'f') return static_cast<double>(integer(i));
    if (width_ == 8) return read_as<double>(i);
    return static_cast<double>(read_as<float>(i));
  }

 private:
  template <class Number>
  Number read_as(std::size_t i) const {
    Number value{};
    std::memcpy(&value, bytes_.data() + at_ + i * sizeof(Number), sizeof(Number));
    return value;
  }

  static std::string_view behind(std::string_view header, std::string_view key) {
    const std::size_t at = header.find(key);
    if (at == std::string_view::npos)
      throw std::invalid_argument(fmt::format("an array without {} in its header", key));
    return header.substr(at + key.size());
  }

  void read_header(std::string_view header) {
    const std::string_view type = behind(header, "'descr': '");
    kind_ = type.size() > 2 ? type[1] : '?';
    width_ =
        type.size() > 2 && type[2] >= '1' && type[2] <= '9' ? static_cast<std::size_t>(type[2] - '0') : 0;
    const bool known = (kind_ == 'i' || kind_ == 'u')
                           ? width_ == 1 || width_ == 2 || width_ == 4 || width_ == 8
                       : kind_ == 'f' ? width_ == 4 || width_ == 8
                                      : kind_ == 'b' && width_ == 1;
    if (!known || type[0] == '>' || type[3] != '\'')
      throw std::invalid_argument(
          fmt::format("an array of type {}, expected whole numbers, f4, f8 or b1, the lowest byte first",
                      type.substr(0, type.find('\''))));
    if (behind(header, "'fortran_order': ").starts_with("True"))
      throw std::invalid_argument("an array in Fortran's order: numpy.ascontiguousarray() gives the other");
    std::string_view sizes = behind(header, "'shape': (");
    std::size_t size = width_;
    while (!sizes.empty() && sizes.front() != ')') {
      std::size_t n = 0;
      const auto [stop, error] = std::from_chars(sizes.data(), sizes.data() + sizes.size(), n);
      if (error != std::errc() || n > kMostOfArray)
        throw std::invalid_argument("an array whose shape cannot be read");
      shape_.push_back(n);
      size *= std::max<std::size_t>(n, 1);
      if (size > 8 * kMostOfArray) throw std::invalid_argument("an array that is too large");
      sizes.remove_prefix(static_cast<std::size_t>(stop - sizes.data()));
      sizes.remove_prefix(std::min(sizes.find_first_not_of(", "), sizes.size()));
    }
    if (this->size() * width_ > bytes_.size() - at_)
      throw std::invalid_argument("an array that ends in the middle");
  }

  std::string bytes_;
  std::size_t at_ = 0, width_ = 1;
  char kind_ = 'i';
  std::vector<std::size_t> shape_;
};

using Arrays = std::map<std::string, Array, std::less<>>;

Arrays arrays_in(std::string_view bytes) {
  Arrays arrays;
  if (bytes.starts_with(kNumpy)) {
    arrays.emplace("", Array(std::string(bytes)));
    return arrays;
  }
  const ZipFile zip(bytes);
  for (const ZipFile::Member& member : zip.members()) {
    if (!member.name.ends_with(".npy")) continue;
    const std::string name = member.name.substr(0, member.name.size() - 4);
    try {
      arrays.emplace(name, Array(zip.contents(member, kMostOfArray)));
    } catch (const std::invalid_argument& error) {
      // All else that a log says may be of any type.
      const LogField field = log_field(name);
      if (field == LogField::kExperts || field == LogField::kCounts)
        throw std::invalid_argument(fmt::format("{}: {}", name, error.what()));
    }
  }
  return arrays;
}

// Returns the layer that an array's name gives: "layer_3", "layer3".
std::optional<std::uint32_t> layer_named(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  std::uint32_t layer = 0;
  const std::string_view number = name.substr(digits);
  if (number.empty() || !name.starts_with("layer")) return {};
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), layer);
  return error == std::errc() && layer <= kMostLoggedExperts ? std::optional(layer) : std::nullopt;
}

class ArrayReader {
 public:
  ArrayReader(const Arrays& arrays, const LogSink& sink) : arrays_(arrays), sink_(sink) {}

  void read() const {
    bool any = false;
    for (const auto& [name, array] : arrays_) {
      const LogField field = log_field(name);
      const std::optional<std::uint32_t> layer = layer_named(name);
      const bool alone = name.empty() && arrays_.size() == 1;
      if (field == LogField::kCounts)
        read_counts(array);
      else if (field == LogField::kExperts || name == "routing_map" || alone ||
               (layer && array.shape().size() == 2))
        read_tokens(array, layer.value_or(0));
      else
        continue;
      any = true;
    }
    if (!any)
      throw std::invalid_argument(
          "no array of experts of tokens (topk_ids) or of counts by expert (logical_count)");
  }

 private:
  const Array* one_each(LogField field, std::size_t tokens) const {
    for (const auto& [name, array] : arrays_)
      if (log_field(name) == field && array.shape().size() == 1 && array.size() == tokens) return &array;
    return nullptr;
  }

  void read_tokens(const Array& array, std::uint32_t layer) const {
    const std::vector<std::size_t>& shape = array.shape();
    if (shape.size() != 2 && shape.size() != 3)
      throw std::invalid_argument(
          "experts of tokens: expected them by token and slot, or by token, layer and slot");
    const std::size_t tokens = shape.front(), layers = shape.size() == 3 ? shape[1] : 1, slots = shape.back();
    const Array* weights = nullptr;
    for (const auto& [name, other] : arrays_)
      if (log_field(name) == LogField::kWeights && other.shape() == shape) weights = &other;
    const Array *own_layer = one_each(LogField::kLayer, tokens),
                *request = one_each(LogField::kRequest, tokens), *place = one_each(LogField::kToken, tokens);
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t l = 0; l < layers; ++l) {
        TokenRow row;
        const std::int64_t number =
            own_layer ? own_layer->integer(t) : std::int64_t{layer} + static_cast<std::int64_t>(l);
        if (number < 0 || number > kMostLoggedExperts)
          throw std::invalid_argument(fmt::format("layer {}", number));
        row.layer = static_cast<std::uint32_t>(number);
        if (request) row.request = hash_of_text(std::to_string(request->integer(t)));
        if (place) row.token = place->integer(t);
        fill(row, array, weights, (t * layers + l) * slots, slots);
        sink_.token(row);
      }
    }
  }

  static void fill(TokenRow& row, const Array& array, const Array* weights, std::size_t at,
                   std::size_t slots) {
    bool any = false;
    for (std::size_t s = 0; s < slots; ++s) {
      const std::int64_t value = array.integer(at + s),
                         expert = array.is_mask() ? static_cast<std::int64_t>(s) : value;
      if (expert > kMostLoggedExperts)
        throw std::invalid_argument(fmt::format("expert {}: larger than any", expert));
      if (array.is_mask() ? value != 0 : value >= 0)
        row.experts.push_back(static_cast<std::uint32_t>(expert));
      if (!weights) continue;
      row.weights = hash_with_weight(row.weights, weights->real(at + s));
      any |= weights->real(at + s) != 0;
    }
    finish_row(row, weights != nullptr, any);
  }

  void read_counts(const Array& array) const {
    const std::vector<std::size_t>& shape = array.shape();
    if (shape.empty() || shape.size() > 3)
      throw std::invalid_argument(
          "counts: expected them by expert, by layer and expert, or by step, layer and expert");
    const std::size_t experts = shape.back(), layers = shape.size() > 1 ? shape[shape.size() - 2] : 1,
                      steps = shape.size() == 3 ? shape[0] : 1;
    for (std::size_t s = 0; s < steps; ++s) {
      for (std::size_t l = 0; l < layers; ++l) {
        CountRow row{s, static_cast<std::uint32_t>(l), {}, {}};
        for (std::size_t e = 0; e < experts; ++e) {
          const std::int64_t count = array.integer((s * layers + l) * experts + e);
          if (count < 0) throw std::invalid_argument(fmt::format("a count of {}", count));
          row.rows.push_back(static_cast<std::uint64_t>(count));
        }
        sink_.counts(row);
      }
    }
  }

  const Arrays& arrays_;
  const LogSink& sink_;
};

}  // namespace

bool begins_arrays(std::string_view begin) {
  return begin.starts_with(kNumpy) ||
         (begin.starts_with(kZip) && begin.substr(0, 256).find(".npy") != std::string_view::npos);
}

void read_array_log(std::string_view bytes, const LogSink& sink) {
  const Arrays arrays = arrays_in(bytes);
  ArrayReader(arrays, sink).read();
}

}  // namespace a3sim
