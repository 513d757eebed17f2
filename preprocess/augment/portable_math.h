#pragma once

namespace letterpress {

// Functions of libm of which the last bit depends on the CPU (glibc has versions with and without
// fused multiply-add). These use + - * / and sqrt alone, which IEEE 754 fixes to the bit. Relative
// error below 1e-9 over the stated ranges.

double portable_sine(double degrees) noexcept;    ///< exact at multiples of 90; |degrees| <= 1e6
double portable_cosine(double degrees) noexcept;  ///< as portable_sine
double portable_exponential(double x) noexcept;   ///< -50 <= x <= 0
double portable_power(
    double base, double exponent) noexcept;  ///< base 0..1, exponent 0..16 in multiples of 1/65536

}  // namespace letterpress
