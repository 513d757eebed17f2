#include "letterpress/models/onnx_metadata.h"

#include <doctest/doctest.h>

#include "letterpress/base/hash.h"
#include "tests/message_of.h"

using namespace letterpress;
using namespace std::string_literals;

namespace {

using Metadata = std::map<std::string, std::string>;

// By hand from protobuf's encoding and onnx.proto3: a field's tag is its number * 8 + 2 where bytes
// follow, + 0 where a number does. graph is field 7, metadata_props 14 with key 1 and value 2.
const std::string kGraphField = "\x3a\x02\x12\x00"s;
const std::string kSideEntry =
    "\x72\x0b\x0a\x04side\x12\x03"
    "416";
const std::string kRefusal = "65 is not a whole ONNX file; export it again";

}  // namespace

TEST_CASE("keys and values are read, whatever stands around them") {
  CHECK(onnx_metadata(kGraphField + kSideEntry) == Metadata{{"side", "416"}});
  CHECK(onnx_metadata(kSideEntry + kGraphField + "\x72\x03\x0a\x01"s + "a") ==
        Metadata{{"a", ""}, {"side", "416"}});
  CHECK(onnx_metadata("\x08\x07"s + kGraphField) == Metadata{});  // ir_version 7
  CHECK(onnx_metadata(kSideEntry + kGraphField + kSideEntry.substr(0, 10) + "640").at("side") ==
        "640");
}

TEST_CASE("what is another field's kind of value, or a newer version's field, is passed over") {
  CHECK(onnx_metadata(kGraphField + "\x70\x05"s) == Metadata{});                  // 14 as a number
  CHECK(onnx_metadata(kGraphField + "\xfa\x07\x01x"s + kSideEntry).size() == 1);  // field 127
  CHECK(onnx_metadata(kGraphField + "\x72\x04\x08\x01\x12\x00"s) ==
        Metadata{{"", ""}});  // key as a number
}

TEST_CASE("a cut file and other bytes are refused") {
  const std::string whole = kGraphField + kSideEntry;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CAPTURE(n);
    if (n == kGraphField.size()) continue;  // a file without metadata
    CHECK(message_of([&] { onnx_metadata(whole.substr(0, n)); }) == kRefusal);
  }
  CHECK(message_of([] { onnx_metadata("hello"); }) == kRefusal);
  CHECK(message_of([] { onnx_metadata(kSideEntry); }) == kRefusal);  // no graph
}

TEST_CASE("no flipped byte does more than change a text or refuse the file") {
  const std::string whole = kGraphField + kSideEntry;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ 1 << bit);
      std::size_t entries = 0;
      const std::string outcome = message_of([&] { entries = onnx_metadata(flipped).size(); });
      CHECK((outcome == "no error" || outcome == kRefusal));
      CHECK(entries <= 1);
    }
  }
}

TEST_CASE("a digest is of all bytes before it, and every changed bit and byte more is found") {
  const std::string plain = kGraphField + kSideEntry, sealed = with_digest(plain);
  // 0x72 44: metadata_props of 42 bytes; 0x0a 6: its key; 0x12 32: its value.
  CHECK(sealed == plain +
                      "\x72\x2a\x0a\x06"
                      "digest"
                      "\x12\x20" +
                      hash128(plain).hex());
  const auto outcome = [](const std::string& bytes) {
    return message_of([&] { check_digest(bytes, onnx_metadata(bytes)); });
  };
  CHECK(outcome(sealed) == "no error");
  CHECK(outcome(plain) == "no error");  // of another program
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = sealed;
      flipped[i] = static_cast<char>(flipped[i] ^ 1 << bit);
      CAPTURE(i);
      CHECK(outcome(flipped).starts_with("65 is not "));
    }
  }
  CHECK(outcome(sealed + kSideEntry) ==
        "65 is not what was exported: its content does not match its digest; it is damaged, or "
        "another program changed it; export it again");
}
