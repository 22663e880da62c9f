#pragma once

#include <bit>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace a3sim {

// One set of the line-exact L2. All data of one access are adjacent: with up to 24 ways in one cache line of
// the host. Ways are positions, which a policy may keep in its own order.
template <std::uint32_t kVectors, class MaskType>
struct alignas(64) LineSet {
  using Mask = MaskType;
  static constexpr std::uint32_t kMaxWays = 8 * kVectors;
  static constexpr std::uint16_t kEmpty = 0xffff;  // no line has this tag

  Mask dirty = 0;          // bit w: the line in way w is dirty
  Mask persist = 0;        // bit w: the line in way w was accessed with the hint persist
  Mask plane[2] = {0, 0};  // two bits per way for the policy
  std::uint16_t tags[kMaxWays];

  LineSet() {
    for (std::uint16_t& tag : tags) tag = kEmpty;
  }

  static Mask bit(std::uint32_t way) { return Mask{1} << way; }

  // Returns the ways that have this tag. Unused ways match kEmpty.
  Mask match(std::uint16_t tag) const;

  // Gives the line in `way` the tag `tag` and makes it way 0; the ways before it move up by one, with their
  // flags. The planes do not move: a policy that uses them moves them itself.
  void to_front(std::uint32_t way, std::uint16_t tag);

  // Returns a mask after to_front(way): bit `way` becomes bit 0, those before it move up by one.
  static Mask rotate(Mask mask, std::uint32_t way) {
    const Mask below = mask & (bit(way) - 1);
    const Mask above = mask & ~(bit(way) | (bit(way) - 1));
    return above | (below << 1) | ((mask >> way) & 1);
  }
};

#ifdef __SSE2__

template <std::uint32_t kVectors, class MaskType>
auto LineSet<kVectors, MaskType>::match(std::uint16_t tag) const -> Mask {
  const __m128i wanted = _mm_set1_epi16(static_cast<short>(tag));
  const auto* vectors = reinterpret_cast<const __m128i*>(tags);
  Mask found = 0;
  for (std::uint32_t v = 0; v < kVectors; v += 2) {
    const __m128i low = _mm_cmpeq_epi16(_mm_load_si128(vectors + v), wanted);
    const __m128i high =
        v + 1 < kVectors ? _mm_cmpeq_epi16(_mm_load_si128(vectors + v + 1), wanted) : _mm_setzero_si128();
    const auto bits = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
    found |= static_cast<Mask>(bits) << (8 * v);
  }
  return found;
}

template <std::uint32_t kVectors, class MaskType>
void LineSet<kVectors, MaskType>::to_front(std::uint32_t way, std::uint16_t tag) {
  dirty = rotate(dirty, way);
  if (persist) persist = rotate(persist, way);
  auto* vectors = reinterpret_cast<__m128i*>(tags);
  const __m128i last = _mm_set1_epi16(static_cast<short>(way));
  const __m128i lanes = _mm_set_epi16(7, 6, 5, 4, 3, 2, 1, 0);
  // From the back, since each vector takes one tag from the one before it.
  for (std::uint32_t v = way / 8; v > 0; --v) {
    const __m128i old = _mm_load_si128(vectors + v);
    const __m128i moved = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags + 8 * v - 1));
    const __m128i stays =
        _mm_cmpgt_epi16(_mm_add_epi16(lanes, _mm_set1_epi16(static_cast<short>(8 * v))), last);
    _mm_store_si128(vectors + v, _mm_or_si128(_mm_and_si128(stays, old), _mm_andnot_si128(stays, moved)));
  }
  const __m128i old = _mm_load_si128(vectors);
  // The new tag, then all but the last of the old ones: a shuffle, as a shift wants its number of bytes as a
  // constant, which compilers do not see through a call unless they optimise.
  using Tags = short __attribute__((vector_size(16)));
  const auto moved = reinterpret_cast<__m128i>(__builtin_shufflevector(
      Tags{static_cast<short>(tag)}, reinterpret_cast<Tags>(old), 0, 8, 9, 10, 11, 12, 13, 14));
  const __m128i stays = _mm_cmpgt_epi16(lanes, last);
  _mm_store_si128(vectors, _mm_or_si128(_mm_and_si128(stays, old), _mm_andnot_si128(stays, moved)));
}

#else

template <std::uint32_t kVectors, class MaskType>
auto LineSet<kVectors, MaskType>::match(std::uint16_t tag) const -> Mask {
  Mask found = 0;
  for (std::uint32_t way = 0; way < kMaxWays; ++way) found |= static_cast<Mask>(tags[way] == tag) << way;
  return found;
}

template <std::uint32_t kVectors, class MaskType>
void LineSet<kVectors, MaskType>::to_front(std::uint32_t way, std::uint16_t tag) {
  dirty = rotate(dirty, way);
  persist = rotate(persist, way);
  for (std::uint32_t w = way; w > 0; --w) tags[w] = tags[w - 1];
  tags[0] = tag;
}

#endif

}  // namespace a3sim
