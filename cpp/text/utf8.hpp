// Checks that bytes are text in UTF-8.
#pragma once

#include <cstdint>
#include <cstring>

namespace novikoff {

// The first byte of [p, end) that is not part of a UTF-8 character, or end. By RFC 3629 there are
// no overlong forms, no surrogates, and nothing above U+10FFFF. A zero byte counts as not UTF-8:
// text has none, while UTF-16 has many.
inline const char* first_not_utf8(const char* p, const char* end) {
  const auto follows = [end](const char* q, int low = 0x80, int high = 0xbf) {
    const int c = q < end ? static_cast<unsigned char>(*q) : 0;
    return low <= c && c <= high;
  };
  while (p < end) {
    for (std::uint64_t eight; end - p >= 8; p += 8) {
      std::memcpy(&eight, p, 8);
      // a byte above 127 or a 0, whose high bit is set by subtracting 1; a false alarm costs one
      // step
      if ((eight | (eight - 0x0101010101010101u)) & 0x8080808080808080u) break;
    }
    if (p == end) return end;
    const int c = static_cast<unsigned char>(*p);
    if (c >= 0x01 && c <= 0x7f) p += 1;
    else if (c >= 0xc2 && c <= 0xdf && follows(p + 1)) p += 2;
    else if (c >= 0xe0 && c <= 0xef &&
             follows(p + 1, c == 0xe0 ? 0xa0 : 0x80, c == 0xed ? 0x9f : 0xbf) && follows(p + 2))
      p += 3;
    else if (c >= 0xf0 && c <= 0xf4 &&
             follows(p + 1, c == 0xf0 ? 0x90 : 0x80, c == 0xf4 ? 0x8f : 0xbf) && follows(p + 2) &&
             follows(p + 3))
      p += 4;
    else return p;
  }
  return end;
}

}  // namespace novikoff
