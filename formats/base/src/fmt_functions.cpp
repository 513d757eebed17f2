// The functions of {fmt} that are no templates, compiled here once: fmt::fmt-header-only would have
// every unit compile them, which takes as long as a small unit. trainer/ compiles this file once
// more, for the version of {fmt} in LibTorch's headers.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
}  // namespace detail
FMT_END_NAMESPACE
