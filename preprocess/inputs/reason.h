#pragma once
#include <string>

#include "letterpress/base/reject.h"

namespace letterpress {

/// What a ledger's and a shard record's `reason` holds of a reject, whose `where` they have apart:
/// "what; fix".
inline std::string reason_of(const Reject& reject) { return reject.what + "; " + reject.fix; }

/// The reverse. A reason without "; " has no fix.
inline Reject reject_of_reason(const std::string& where, const std::string& reason) {
  const std::size_t cut = reason.rfind("; ");
  if (cut == std::string::npos) return {where, reason, "", Reject::Scope::picture};
  return {where, reason.substr(0, cut), reason.substr(cut + 2), Reject::Scope::picture};
}

}  // namespace letterpress
