// Decimal numbers in text to float64, correctly rounded for any number of digits.
//
// All functions here may read up to `padding` bytes past the end of the text.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

namespace novikoff {

constexpr std::size_t padding = 16;

// The next eight bytes, each xor '0': a digit becomes its value.
inline std::uint64_t digits_at(const char* p) {
  std::uint64_t bytes;
  std::memcpy(&bytes, p, 8);
  return bytes ^ 0x3030303030303030u;
}

// The number of leading digits among the eight bytes. A byte above 9 gets its high bit set; a carry
// into later bytes does not matter.
inline unsigned count_digits(std::uint64_t digits) {
  const std::uint64_t others = (digits | (digits + 0x7676767676767676u)) & 0x8080808080808080u;
  return others ? unsigned(std::countr_zero(others)) / 8 : 8;
}

// The value of the first n digits, 1 <= n <= 8, by three products instead of n.
inline std::uint64_t join_digits(std::uint64_t digits, unsigned n) {
  digits <<= 64 - 8 * n;
  digits = digits * 10 + (digits >> 8);
  return (((digits & 0x000000ff000000ffu) * 0x000f424000000064u) +
          (((digits >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >> 32;
}

constexpr int most_tens = 19;  // 10^19 is the last that fits in 64 bits

struct DecimalPowers {
  std::uint64_t of_ten[most_tens + 1] = {1};
  std::uint64_t of_five[most_tens + 1] = {1};  // shifted up to the highest bit
  int shift[most_tens + 1] = {63};

  constexpr DecimalPowers() {
    std::uint64_t five = 1;
    for (int k = 1; k <= most_tens; ++k) {
      of_ten[k] = of_ten[k - 1] * 10;
      five *= 5;
      shift[k] = std::countl_zero(five);
      of_five[k] = five << shift[k];
    }
    of_five[0] = std::uint64_t(1) << 63;
  }
};
constexpr DecimalPowers powers;
constexpr double exact_tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Appends the digits at p to m (modulo 2^64), moves p past them, and returns their number.
inline std::uint64_t read_digits(const char*& p, std::uint64_t& m) {
  const char* const begin = p;
  for (;;) {
    const std::uint64_t digits = digits_at(p);
    const unsigned n = count_digits(digits);
    if (n == 0) break;
    m = m * powers.of_ten[n] + join_digits(digits, n);
    p += n;
    if (n < 8) break;
  }
  return std::uint64_t(p - begin);
}

// m / 10^k, correctly rounded, for m > 2^53 and k <= most_tens. The quotient by 5^k is an integer
// of 62 or 63 bits whose last bit is sticky (set if any later bit is), so that only its conversion
// to double rounds; the remaining factor is a power of two.
inline double divide_exactly(std::uint64_t m, int k) {
  __extension__ using Wide = unsigned __int128;
  const int shift = std::countl_zero(m);
  const Wide dividend = Wide(m << shift) << 62;
  const std::uint64_t divisor = powers.of_five[k];
  const auto quotient = static_cast<std::uint64_t>(dividend / divisor);
  const bool more = dividend != Wide(quotient) * divisor;
  const int exponent = powers.shift[k] - shift - 62 - k;
  return double(static_cast<std::int64_t>(quotient | std::uint64_t(more))) *
         std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52);
}

// m 10^power where a quick way is exact: both m and the power of ten are doubles (Clinger 1990), or
// m has 64 bits and is divided by a power of ten of at most 64. Otherwise false.
inline bool round_quickly(std::uint64_t m, std::int64_t power, double& value) {
  constexpr std::uint64_t exact = std::uint64_t(1) << 53;
  if (m <= exact && power >= -22 && power <= 22) {
    const auto exactly = double(std::int64_t(m));
    value = power < 0 ? exactly / exact_tens[-power] : exactly * exact_tens[power];
    return true;
  }
  if (m <= exact || power > 0 || power < -most_tens) return false;
  value = divide_exactly(m, int(-power));
  return true;
}

enum class Number { good, none, too_large };

// The value of [begin, end), a well-formed number that the quick ways cannot round. One too small
// for a double is 0.
inline Number read_slowly(const char* begin, const char* end, double& value) {
  const bool negative = *begin == '-';
  begin += *begin == '-' || *begin == '+';
  const auto [at, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    // the power of ten of the first nonzero digit tells too large from too small
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
    if (length == 0) {  // "1e" is the number 1 and a stray letter, which the caller refuses
      value = 0;
      return Number::good;
    }
    p = q;
    if (length > 8) count = most_tens + 1;  // a long exponent: not the quick way
    power += minus ? -std::int64_t(written) : std::int64_t(written);
  }
  if (count <= most_tens && round_quickly(m, power, value)) {
    if (negative) value = -value;
    return Number::good;
  }
  return read_slowly(begin, p, value);
}

}  // namespace novikoff
