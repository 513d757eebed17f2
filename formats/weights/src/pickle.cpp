#include "pickle.h"

#include <bit>
#include <cstring>
#include <map>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

using Kind = PickleNode::Kind;

// Values that wait for what they belong to: pickles of modules put at most a thousand items at once
// into a list or dictionary, and tuples are short.
constexpr std::size_t kMostOnStack = 1 << 16;

/// Python's stack machine, except that it cannot call anything. Written by hand: libraries that
/// read pickles are Python, and theirs execute what the file says.
class Machine {
 public:
  explicit Machine(std::string_view bytes) : all_(bytes), rest_(bytes) {}

  Pickle run() {
    for (;;) {
      at_ = all_.size() - rest_.size();
      const char opcode = take(1).front();
      if (opcode == '.') break;
      if (!constant(opcode) && !container(opcode) && !memory(opcode)) object(opcode);
    }
    pickle_.root = pop();
    return std::move(pickle_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("its pickle " + what + " at byte " + std::to_string(at_));
  }

  std::string_view take(std::size_t n) {
    if (n > rest_.size()) fail("ends within an opcode");
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  std::string_view take_line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) fail("ends within a line");
    const std::string_view line = take(end + 1);
    return line.substr(0, end);
  }
  template <typename Number>
  Number take_number() {
    Number number;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }
  std::int64_t take_long() {
    const std::size_t n = take_number<std::uint8_t>();
    if (n > 8) fail("has a whole number of " + std::to_string(n) + " bytes");
    const std::string_view bytes = take(n);
    std::uint64_t value =
        n > 0 && static_cast<std::uint8_t>(bytes[n - 1]) >= 0x80 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = n; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
    return static_cast<std::int64_t>(value);
  }

  PickleNode& push(Kind kind) {
    if (stack_.size() >= kMostOnStack) fail("has more open values than any module");
    stack_.push_back(pickle_.nodes.size());
    pickle_.nodes.emplace_back();
    pickle_.nodes.back().kind = kind;
    return pickle_.nodes.back();
  }
  bool push_text(std::string_view text) { return push(Kind::text).text = text, true; }
  bool push_real(std::string_view big_endian) {
    std::uint64_t bits = 0;
    for (const char byte : big_endian) bits = bits << 8 | static_cast<std::uint8_t>(byte);
    return push(Kind::real).real = std::bit_cast<double>(bits), true;
  }
  bool push_integer(Kind kind, std::int64_t value) { return push(kind).integer = value, true; }
  std::size_t pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back()))
      fail("takes from an empty stack");
    const std::size_t index = stack_.back();
    stack_.pop_back();
    return index;
  }
  PickleNode& top() {
    if (stack_.empty()) fail("takes from an empty stack");
    return pickle_.nodes[stack_.back()];
  }
  std::vector<std::size_t> pop_to_mark() {
    if (marks_.empty() || marks_.back() > stack_.size())
      fail("takes up to a mark that does not exist");
    const std::vector<std::size_t> items(
        stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }
  bool push_sequence(std::vector<std::size_t> items) {
    return push(Kind::sequence).items = std::move(items), true;
  }
  bool push_popped(Kind kind, std::size_t n) {
    std::vector<std::size_t> items(n);
    for (std::size_t i = n; i-- > 0;) items[i] = pop();
    return push(kind).items = std::move(items), true;
  }
  bool add_to_top(const std::vector<std::size_t>& items) {
    PickleNode& node = top();
    if (node.kind != Kind::sequence && node.kind != Kind::dictionary && node.kind != Kind::call &&
        node.kind != Kind::object)
      fail("adds to something that cannot hold items");
    node.items.insert(node.items.end(), items.begin(), items.end());
    return true;
  }
  bool add_popped(std::size_t n) {
    std::vector<std::size_t> items(n);
    for (std::size_t i = n; i-- > 0;) items[i] = pop();
    return add_to_top(items);
  }

  bool constant(char opcode) {
    switch (opcode) {
      case '\x80':  // PROTO
        return take(1), true;
      case '\x95':  // FRAME
        return take(8), true;
      case 'N':
        return push(Kind::nothing), true;
      case '\x88':
      case '\x89':
        return push_integer(Kind::boolean, opcode == '\x88');
      case 'J':
        return push_integer(Kind::integer, take_number<std::int32_t>());
      case 'K':
        return push_integer(Kind::integer, take_number<std::uint8_t>());
      case 'M':
        return push_integer(Kind::integer, take_number<std::uint16_t>());
      case '\x8a':  // LONG1
        return push_integer(Kind::integer, take_long());
      case 'G':
        return push_real(take(8));
      case 'S':  // STRING, UNICODE: of protocol 0
      case 'V':
        return push_text(take_line());
      case 'X':  // BINUNICODE, BINBYTES, BINSTRING
      case 'B':
      case 'T':
        return push_text(take(take_number<std::uint32_t>()));
      case '\x8c':  // the same, short
      case 'C':
      case 'U':
        return push_text(take(take_number<std::uint8_t>()));
      default:
        return false;
    }
  }

  bool container(char opcode) {
    switch (opcode) {
      case '(':
        return marks_.push_back(stack_.size()), true;
      case ')':
      case ']':
      case '\x8f':  // EMPTY_SET
        return push_sequence({});
      case '}':
        return push(Kind::dictionary), true;
      case 't':
      case 'l':
        return push_sequence(pop_to_mark());
      case '\x85':
      case '\x86':
      case '\x87':
        return push_popped(Kind::sequence, static_cast<std::size_t>(opcode - '\x84'));
      case 'a':
        return add_popped(1);
      case 's':
        return add_popped(2);
      case 'e':
      case 'u':
      case '\x90':  // ADDITEMS
        return add_to_top(pop_to_mark());
      case 'd': {
        std::vector<std::size_t> items = pop_to_mark();
        return push(Kind::dictionary).items = std::move(items), true;
      }
      default:
        return false;
    }
  }

  bool memory(char opcode) {
    switch (opcode) {
      case 'q':
        return memo_[take_number<std::uint8_t>()] = index_of_top(), true;
      case 'r':
        return memo_[take_number<std::uint32_t>()] = index_of_top(), true;
      case '\x94':  // MEMOIZE
        return memo_[static_cast<std::uint32_t>(memo_.size())] = index_of_top(), true;
      case 'h':
        return recall(take_number<std::uint8_t>());
      case 'j':
        return recall(take_number<std::uint32_t>());
      case '0':
        return pop(), true;
      case '1':
        return pop_to_mark(), true;
      default:
        return false;
    }
  }

  void object(char opcode) {
    switch (opcode) {
      case 'c': {  // GLOBAL
        const std::string module(take_line());
        push(Kind::global).text = module + "." + std::string(take_line());
        return;
      }
      case '\x93': {  // STACK_GLOBAL
        const std::size_t name = pop(), module = pop();
        const std::string text = pickle_[module].text + "." + pickle_[name].text;
        push(Kind::global).text = text;
        return;
      }
      case 'R':  // REDUCE
        push_popped(Kind::call, 2);
        return;
      case '\x81':  // NEWOBJ
        push_popped(Kind::object, 2);
        return;
      case 'i': {  // INST: GLOBAL and REDUCE of protocol 0
        const std::string module(take_line()), name(take_line());
        push_sequence(pop_to_mark());
        push(Kind::global).text = module + "." + name;
        std::swap(stack_.back(), stack_[stack_.size() - 2]);
        push_popped(Kind::call, 2);
        return;
      }
      case 'Q':  // BINPERSID
        push_popped(Kind::persistent, 1);
        return;
      case 'b': {  // BUILD: an object's inner state
        const std::size_t state = pop();
        top().state = state;
        return;
      }
      default:
        fail("has opcode " + std::to_string(static_cast<std::uint8_t>(opcode)) +
             ", which no state dict needs");
    }
  }

  std::size_t index_of_top() { return top(), stack_.back(); }
  bool recall(std::uint32_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) fail("recalls what it has not stored");
    return stack_.push_back(found->second), true;
  }

  std::string_view all_, rest_;
  std::size_t at_ = 0;
  Pickle pickle_;
  std::vector<std::size_t> stack_, marks_;
  std::map<std::uint32_t, std::size_t> memo_;
};

}  // namespace

Pickle read_pickle(std::string_view bytes) { return Machine(bytes).run(); }

}  // namespace letterpress
