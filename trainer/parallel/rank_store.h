#pragma once
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "trainer/parallel/rank_assignment.h"

namespace letterpress {

/// What c10d says, without its backtrace.
std::string first_line(const std::exception& error);

/// A connection to the store in which the ranks find each other. serves: whether this process keeps
/// the store while the connection lives. One thread. Throws Error (usage) when it cannot listen,
/// (busy) when nobody does within `patience_s`.
c10::intrusive_ptr<c10d::Store> connect_to_store(const RankAssignment& assignment, bool serves,
                                                 double patience_s);

}  // namespace letterpress
