#include "letterpress/base/shell_word.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

namespace letterpress {

TEST_CASE("plain words stay as they are, others get quotes") {
  CHECK(shell_word("/set/train=a,b") == "/set/train=a,b");
  CHECK(shell_word("Größe") == "Größe");
  CHECK(shell_word("red car=auto") == "'red car=auto'");
  CHECK(shell_word("it's") == R"('it'\''s')");
  CHECK(shell_word("") == "''");
}

TEST_CASE("a shell reads the word back as the text") {
  for (const std::string text :
       {"a b", "it's $HOME", "`ls`;*?[x]\\\"!#&|<>(){}~", "two\nlines", "-x", "''"}) {
    CAPTURE(text);
    FILE* const shell = popen(("printf %s " + shell_word(text)).c_str(), "r");
    REQUIRE(shell);
    std::string read(100, '\0');
    read.resize(fread(read.data(), 1, read.size(), shell));
    CHECK(pclose(shell) == 0);
    CHECK(read == text);
  }
}

}  // namespace letterpress
