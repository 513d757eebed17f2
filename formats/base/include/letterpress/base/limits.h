#pragma once

namespace letterpress {

/// What a number must be. NaN must hold for none.
struct Limits {
  const char* text;  ///< what comes after "must be": "0 or more and under 1"
  bool (*hold)(double number);
};

inline constexpr Limits kUnderOne{"0 or more and under 1",
                                  [](double x) { return x >= 0 && x < 1; }};
inline constexpr Limits kOneOrMore{"1 or more", [](double x) { return x >= 1; }};
inline constexpr Limits kOverZeroToOne{"over 0 and at most 1",
                                       [](double x) { return x > 0 && x <= 1; }};

}  // namespace letterpress
