// The products of some rows with all stored rows, which both kinds of vote need.
#pragma once

#include <vector>

#include "bindings/arrays.hpp"
#include "core/vote.hpp"

// Calls f(first, some, dots) for rows[begin:end], `some` of them from `first` on at a time:
// dots[i * abreast + q] = <stored_i, row_(first + q)>.
template <class F>
void dots_abreast(const AnyRows& stored, const AnyRows& rows, Size dim, bool bias, Size begin,
                  Size end, F f) {
  std::vector<double> work(dim * abreast, 0.0), dots(length(stored) * abreast);
  for (Size first = begin; first < end; first += abreast) {
    const Size some = std::min(abreast, end - first);
    const auto place = [&](bool erase) {
      std::visit(
          [&](const auto& r) {
            for (Size q = 0; q < some; ++q) {
              typename std::decay_t<decltype(r)>::Row x;
              if (!r.read(first + q, x)) refuse({first + q, Flaw::bounds});
              const Flaw flaw = x.each(
                  [&](Size j, double v) { work[j * abreast + q] = erase ? 0.0 : v; });
              refuse({first + q, flaw});
            }
          },
          rows);
    };
    place(false);
    refuse(std::visit(
        [&](const auto& r) { return multiply(r, bias, work.data(), dots.data()); }, stored));
    place(true);
    f(first, some, dots.data());
  }
}
