// Decimal numbers in text to float64, correctly rounded for any number of digits.
//
// Text handed to anything here must be readable for `padding` bytes past its end.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

namespace novikoff {

constexpr std::size_t padding = 16;

// The next eight bytes, less '0' in each: a digit becomes its value.
inline std::uint64_t digits_at(const char* p) {
  std::uint64_t bytes;
  std::memcpy(&bytes, p, 8);
  return bytes ^ 0x3030303030303030u;
}

// How many of the eight bytes, from the first, are digits. A byte above 9 gets its high bit set; what
// that carries into the bytes after it does not matter.
inline unsigned count_digits(std::uint64_t digits) {
  const std::uint64_t others = (digits | (digits + 0x7676767676767676u)) & 0x8080808080808080u;
  return others ? unsigned(std::countr_zero(others)) / 8 : 8;
}

// The number that the first n digits write, 1 <= n <= 8: three products instead of n.
inline std::uint64_t join_digits(std::uint64_t digits, unsigned n) {
  digits <<= 64 - 8 * n;
  digits = digits * 10 + (digits >> 8);
  return (((digits & 0x000000ff000000ffu) * 0x000f424000000064u) +
          (((digits >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >> 32;
}

constexpr std::uint64_t tens[] = {1,      10,      100,      1000,     10000,
                                  100000, 1000000, 10000000, 100000000};
constexpr double exact_tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Appends the digits at p to m (modulo 2^64), moves p past them, and says how many there were.
inline std::uint64_t read_digits(const char*& p, std::uint64_t& m) {
  const char* const begin = p;
  for (;;) {
    const std::uint64_t digits = digits_at(p);
    const unsigned n = count_digits(digits);
    if (n == 0) break;
    m = m * tens[n] + join_digits(digits, n);
    p += n;
    if (n < 8) break;
  }
  return std::uint64_t(p - begin);
}

enum class Number { good, none, too_large };

// [begin, end) is a number of the right form whose value the quick way could not give. Too small for
// a float64 is 0.
inline Number read_slowly(const char* begin, const char* end, double& value) {
  const bool negative = *begin == '-';
  begin += *begin == '-' || *begin == '+';
  const auto [at, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    // where the first digit that counts stands, as a power of ten, tells the large from the small
    std::int64_t power = -1, written = 0;
    const char* p = begin;
    bool point = false, found = false;
    for (; p != end && (*p | 0x20) != 'e'; ++p) {
      if (*p == '.') point = true;
      else {
        found |= *p != '0';
        if (!point && found) ++power;
        if (point && !found) --power;
      }
    }
    if (p != end) {
      const bool minus = *++p == '-';
      for (p += *p == '-' || *p == '+'; p != end; ++p)
        if (written < std::int64_t(1) << 55) written = written * 10 + (*p - '0');
      power += minus ? -written : written;
    }
    if (found && power > 0) return Number::too_large;
    value = 0;
  }
  if (negative) value = -value;
  return Number::good;
}

// Reads [+-](digits[.[digits]] | .digits)[(e|E)[+-]digits] at p and moves p past it.
inline Number read_number(const char*& p, double& value) {
  const char* const begin = p;
  const bool negative = *p == '-';
  p += negative || *p == '+';
  std::uint64_t m = 0, count = read_digits(p, m), places = 0;
  if (*p == '.') {
    ++p;
    places = read_digits(p, m);
    count += places;
  }
  if (count == 0) {
    p = begin;
    return Number::none;
  }
  std::int64_t power = -std::int64_t(places);
  if ((*p | 0x20) == 'e') {
    const char* q = p + 1;
    const bool minus = *q == '-';
    q += minus || *q == '+';
    std::uint64_t written = 0;
    const std::uint64_t length = read_digits(q, written);
    if (length == 0) {  // "1e" is the number 1 and a letter too many, for the caller to refuse
      value = 0;
      return Number::good;
    }
    p = q;
    if (length > 8) count = 20;  // beyond what fits, or written oddly: not the quick way
    power += minus ? -std::int64_t(written) : std::int64_t(written);
  }
  if (count <= 19 && m <= std::uint64_t(1) << 53 && power >= -22 && power <= 22) {
    // both are exact in float64, so there is one rounding (Clinger 1990)
    const double exact = double(m);
    const double quick = power < 0 ? exact / exact_tens[-power] : exact * exact_tens[power];
    value = negative ? -quick : quick;
    return Number::good;
  }
  return read_slowly(begin, p, value);
}

}  // namespace novikoff
