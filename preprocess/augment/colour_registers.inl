// Those functions of shift_hsv.inl that registers of 32 and of 64 bytes do alike. Included behind it by the files that compile it for
// them, behind Register and FloatRegister and LETTERPRESS_OF(name) (the intrinsic of that name for these).
namespace letterpress {
namespace {

// The compiler finds these instructions for some operands only.
inline Words larger(Words a, Words b) { return Words(LETTERPRESS_OF(max_epi16)(Register(a), Register(b))); }
inline Words smaller(Words a, Words b) { return Words(LETTERPRESS_OF(min_epi16)(Register(a), Register(b))); }
inline Words size(Words a) { return Words(LETTERPRESS_OF(abs_epi16)(Register(a))); }
inline Words rounded_product(Words a, Words b) { return Words(LETTERPRESS_OF(mulhrs_epi16)(Register(a), Register(b))); }
inline Unsigned upper_product(Unsigned a, Unsigned b) { return Unsigned(LETTERPRESS_OF(mulhi_epu16)(Register(a), Register(b))); }
inline Unsigned smaller(Unsigned a, Unsigned b) { return Unsigned(LETTERPRESS_OF(min_epu16)(Register(a), Register(b))); }
inline Unsigned difference_or_0(Unsigned a, Unsigned b) { return Unsigned(LETTERPRESS_OF(subs_epu16)(Register(a), Register(b))); }

inline Halves to_floats(Words words) {
  const auto widened = [](Register zero_extended) { return Floats(LETTERPRESS_OF(cvtepi32_ps)(zero_extended)); };
  const Register lower = LETTERPRESS_OF(unpacklo_epi16)(Register(words), Register{});
  return {widened(lower), widened(LETTERPRESS_OF(unpackhi_epi16)(Register(words), Register{}))};
}
inline Unsigned rounded_down(const Halves& floats) {
  const Register some = LETTERPRESS_OF(cvttps_epi32)(FloatRegister(floats.some));
  return Unsigned(LETTERPRESS_OF(packus_epi32)(some, LETTERPRESS_OF(cvttps_epi32)(FloatRegister(floats.others))));
}
inline Floats larger(Floats a, Floats b) { return Floats(LETTERPRESS_OF(max_ps)(FloatRegister(a), FloatRegister(b))); }
inline Floats smaller(Floats a, Floats b) { return Floats(LETTERPRESS_OF(min_ps)(FloatRegister(a), FloatRegister(b))); }

}  // namespace
}  // namespace letterpress
