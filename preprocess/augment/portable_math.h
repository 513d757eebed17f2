#pragma once

namespace letterpress {

// In libm the last bit of these functions depends on the CPU (glibc has versions with and without
// fused multiply-add). Here they use only + - * / and sqrt, which IEEE 754 fixes to the bit. Their
// relative error is below 1e-9 over the stated ranges.

double portable_sine(double degrees) noexcept;    ///< exact at multiples of 90; |degrees| <= 1e6
double portable_cosine(double degrees) noexcept;  ///< as portable_sine
double portable_exponential(double x) noexcept;   ///< -50 <= x <= 0
/// base 0..1, exponent 0..16 in multiples of 1/65536.
double portable_power(double base, double exponent) noexcept;

}  // namespace letterpress
