// The strings of JSON (RFC 8259, section 7), as UTF-8.
#pragma once

#include <cstdint>
#include <string>

namespace novikoff {

// Four hexadecimal digits at p, or -1.
inline std::int32_t read_hex(const char* p) {
  std::int32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = p[i], letter = char(c | 0x20);
    if (c >= '0' && c <= '9') code = code * 16 + (c - '0');
    else if (letter >= 'a' && letter <= 'f') code = code * 16 + (letter - 'a' + 10);
    else return -1;
  }
  return code;
}

inline void append_utf8(std::int32_t code, std::string& out) {
  const auto rest = [&out](std::int32_t bits) { out += char(0x80 | (bits & 0x3f)); };
  if (code < 0x80) out += char(code);
  else if (code < 0x800) out += char(0xc0 | code >> 6), rest(code);
  else if (code < 0x10000) out += char(0xe0 | code >> 12), rest(code >> 6), rest(code);
  else out += char(0xf0 | code >> 18), rest(code >> 12), rest(code >> 6), rest(code);
}

// Appends the character that \uXXXX or a pair of them writes, p being at the u, and moves p past it.
// Half of a surrogate pair is no character, so it is refused.
inline bool read_code(const char*& p, std::string& out) {
  std::int32_t code = read_hex(p + 1);
  if (code < 0) return false;
  p += 5;
  if (code >= 0xd800 && code <= 0xdfff) {
    if (code > 0xdbff || p[0] != '\\' || p[1] != 'u') return false;
    const std::int32_t low = read_hex(p + 2);
    if (low < 0xdc00 || low > 0xdfff) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    p += 6;
  }
  append_utf8(code, out);
  return true;
}

enum class JsonString { good, control, escape };

// Appends what the string at p writes, p being at its first quote, and moves p past the last. If it
// is no string p is where it goes wrong: at a control character, which a line's end is too, or at a
// backslash.
inline JsonString read_string(const char*& p, std::string& out) {
  for (++p;;) {
    const char* const run = p;
    while (static_cast<unsigned char>(*p) >= 0x20 && *p != '"' && *p != '\\') ++p;
    out.append(run, p);
    if (*p == '"') return ++p, JsonString::good;
    if (*p != '\\') return JsonString::control;
    const char* const escape = p++;
    switch (*p) {
      case '"': case '\\': case '/': out += *p++; break;
      case 'b': out += '\b', ++p; break;
      case 'f': out += '\f', ++p; break;
      case 'n': out += '\n', ++p; break;
      case 'r': out += '\r', ++p; break;
      case 't': out += '\t', ++p; break;
      case 'u':
        if (read_code(p, out)) break;
        [[fallthrough]];
      default: p = escape; return JsonString::escape;
    }
  }
}

}  // namespace novikoff
