#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace a3sim {

// Sorts many lists one after another and reuses its memory.
template <class T>
class BucketSort {
 public:
  // Sorts `values` by `less`, whose primary key must be the number that `first_of` returns, below `ends`, at
  // most 2^32. Deals values to as many buckets as there are values by that number. If the numbers are spread
  // out, as rows of a tensor are, the time is linear; otherwise it is that of std::sort.
  template <class FirstOf, class Less>
  void sort(std::span<T> values, std::uint64_t ends, FirstOf&& first_of, Less&& less) {
    if (std::is_sorted(values.begin(), values.end(), less)) return;
    if (values.size() < kFew) return std::sort(values.begin(), values.end(), less);
    const std::uint64_t buckets = values.size();
    const auto bucket_of = [&](const T& value) {
      return static_cast<std::size_t>(std::uint64_t{first_of(value)} * buckets / ends);
    };
    at_.assign(buckets + 1, 0);
    for (const T& value : values) ++at_[bucket_of(value) + 1];
    for (std::size_t b = 0; b < buckets; ++b) at_[b + 1] += at_[b];
    dealt_.resize(values.size());
    for (const T& value : values) dealt_[at_[bucket_of(value)]++] = value;
    std::copy(dealt_.begin(), dealt_.end(), values.begin());
    std::size_t begin = 0;
    for (std::size_t b = 0; b < buckets; begin = at_[b++]) {  // at_[b] is the bucket's end now
      if (at_[b] - begin < 2) continue;
      const std::span<T> bucket = values.subspan(begin, at_[b] - begin);
      if (!std::is_sorted(bucket.begin(), bucket.end(), less)) std::sort(bucket.begin(), bucket.end(), less);
    }
  }

 private:
  static constexpr std::size_t kFew = 32;
  std::vector<T> dealt_;
  std::vector<std::uint32_t> at_;
};

}  // namespace a3sim
