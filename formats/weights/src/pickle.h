#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace letterpress {

inline constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);

/// What a pickle (Python's pickletools.py describes the opcodes) builds, as data. Nothing is
/// imported and nothing is called: a call is a node that says what would have been called with
/// what.
struct PickleNode {
  enum class Kind {
    nothing,     ///< None
    boolean,     ///< integer 0 or 1
    integer,     ///< integer
    real,        ///< real
    text,        ///< text; bytes too
    sequence,    ///< items: tuple, list or set
    dictionary,  ///< items: key, value, key, value, ...
    global,      ///< text: "torch._utils._rebuild_tensor_v2"
    persistent,  ///< items: its identifier
    call,        ///< items: what, its arguments; then key, value, ... that were set on the result
    object,      ///< the same of a new object of a class, whose constructor does not run
  };
  Kind kind = Kind::nothing;
  std::int64_t integer = 0;
  double real = 0;
  std::string text{};
  std::vector<std::size_t>
      items{};                  ///< indices of nodes; a node may be used by several, and by itself
  std::size_t state = kNoNode;  ///< call, object: the inner state that it was given, mostly a dict
};

struct Pickle {
  std::vector<PickleNode> nodes{};
  std::size_t root = 0;
  const PickleNode& operator[](std::size_t index) const { return nodes[index]; }
};

/// Whether a node calls the global `what`.
bool is_call(const Pickle& pickle, std::size_t index, std::string_view what);
/// Whether it is a dict or an OrderedDict, and what it holds: key, value.
bool is_dictionary(const Pickle& pickle, std::size_t index);
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const Pickle& pickle, std::size_t index);
/// The value of a text key of a dictionary, kNoNode when there is none.
std::size_t value_of(const Pickle& pickle, std::size_t dictionary, std::string_view key);

/// The first function that Python would call while it loads the pickle though no weights need it:
/// "posix.system". Empty: none.
std::string foreign_call(const Pickle& pickle);

/// Throws Error without the file's name: where the bytes end too early, an opcode is unknown or
/// does not fit what is there.
Pickle read_pickle(std::string_view bytes);

}  // namespace letterpress
