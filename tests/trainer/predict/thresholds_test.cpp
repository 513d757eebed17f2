#include "trainer/predict/thresholds.h"

#include <doctest/doctest.h>

#include "letterpress/base/error.h"

using namespace letterpress;

TEST_CASE("one score is for all classes, CLASS=SCORE for one; the default is 0.25") {
  const std::vector<std::string> classes{"RBC", "WBC", "a=b"};
  CHECK(class_thresholds({}, classes) == std::vector<float>{0.25F, 0.25F, 0.25F});
  CHECK(class_thresholds({"0.5"}, classes) == std::vector<float>{0.5F, 0.5F, 0.5F});
  CHECK(class_thresholds({"WBC=0.4", "0.1"}, classes) == std::vector<float>{0.1F, 0.4F, 0.1F});
  CHECK(class_thresholds({"RBC=0", "a=b=0.75"}, classes) == std::vector<float>{0, 0.25F, 0.75F});
}

TEST_CASE("two scores for one class, or for all, as a decimal comma makes them, are refused") {
  const std::vector<std::string> classes{"RBC", "WBC"};
  CHECK_THROWS_WITH_AS(class_thresholds({"0", "0.5"}, classes),
                       "--conf 0.5: is a second score for all classes; give one, with a point: 0.5",
                       Error);
  for (const char* again : {"RBC=0.5", "0=0.5"}) {
    CAPTURE(again);
    const std::string message = std::string("--conf ") + again +
                                ": is a second score for class 'RBC'; give one, with a point: 0.5";
    CHECK_THROWS_WITH_AS(class_thresholds({"RBC=0.4", "0.1", again}, classes), message.c_str(),
                         Error);
  }
}

TEST_CASE("a class whose name a list of flags cannot hold is named by its number") {
  const std::vector<std::string> classes{"comma,x", "0", "WBC"};
  CHECK(class_thresholds({"2=0.5"}, {"comma,x", "RBC", "WBC"}) ==
        std::vector<float>{0.25F, 0.25F, 0.5F});
  // Where a name is a number, numbers are names.
  CHECK_THROWS_WITH_AS(class_thresholds({"2=0.5"}, classes), doctest::Contains("unknown class"),
                       Error);
  CHECK(class_thresholds({"0=0.5"}, classes) == std::vector<float>{0.25F, 0.5F, 0.25F});
  CHECK(class_thresholds({"0=0.5"}, {"comma,x"}) == std::vector<float>{0.5F});
  for (const char* none : {"3=0.5", "-1=0.5", "1x=0.5", "=0.5"})
    CHECK_THROWS_WITH_AS(class_thresholds({none}, classes), doctest::Contains("unknown class"),
                         Error);
}

TEST_CASE("an invalid score and an unknown class are refused as such") {
  const std::vector<std::string> classes{"RBC", "WBC"};
  for (const char* wrong : {"1", "-0.1", "high", "0.5x", "", "nan"}) {
    CAPTURE(wrong);
    const std::string message = std::string("--conf is '") + wrong +
                                "', must be a score of 0 or more and under 1, or CLASS=SCORE";
    CHECK_THROWS_WITH_AS(class_thresholds({wrong}, classes), message.c_str(), Error);
  }
  CHECK_THROWS_WITH_AS(class_thresholds({"RBC="}, classes),
                       "--conf is 'RBC=', must be a score of 0 or more and under 1, or CLASS=SCORE",
                       Error);
  CHECK_THROWS_WITH_AS(class_thresholds({"comma"}, {"comma,x"}),
                       doctest::Contains("; name a class with a comma by its number from 0"),
                       Error);
  CHECK_THROWS_WITH_AS(class_thresholds({"2=0.5"}, classes),
                       "--conf 2=0.5: there is no class 2; known: 0 (RBC), 1 (WBC)", Error);
  CHECK_THROWS_WITH_AS(class_thresholds({"RCB=0.5"}, classes),
                       "--conf RCB=0.5: unknown class 'RCB'; did you mean 'RBC'? known: RBC, WBC",
                       Error);
}
