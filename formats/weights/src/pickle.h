#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace letterpress {

/// What a pickle (Python's pickletools.py describes the opcodes) builds, as data. Nothing is
/// imported and nothing is called: a call is a node that says what would have been called with
/// what.
struct PickleNode {
  enum class Kind {
    nothing,     ///< None
    boolean,     ///< integer 0 or 1
    integer,     ///< integer
    real,        ///< not kept: no weight is stored so
    text,        ///< text; bytes too
    sequence,    ///< items: tuple, list or set
    dictionary,  ///< items: key, value, key, value, ...
    global,      ///< text: "torch._utils._rebuild_tensor_v2"
    persistent,  ///< items: its identifier
    call,        ///< items: what, its arguments; then key, value, ... that were set on the result
  };
  Kind kind = Kind::nothing;
  std::int64_t integer = 0;
  std::string text{};
  std::vector<std::size_t>
      items{};  ///< indices of nodes; a node may be used by several, and by itself
};

struct Pickle {
  std::vector<PickleNode> nodes{};
  std::size_t root = 0;
  const PickleNode& operator[](std::size_t index) const { return nodes[index]; }
};

/// Throws Error without the file's name: where the bytes end too early, an opcode is unknown or
/// does not fit what is there.
Pickle read_pickle(std::string_view bytes);

}  // namespace letterpress
