// The C library's clock of the calendar, moved by LETTERPRESS_FAULTS_CLOCK_S seconds: what a
// machine sees whose clock was set, or whose file server has another one. Times of files stay.
#include <sys/time.h>

#include <cstdlib>
#include <ctime>

#include "calls.h"

namespace {

std::time_t moved_by() {
  static const char* text = std::getenv("LETTERPRESS_FAULTS_CLOCK_S");
  static const std::time_t seconds = text ? std::atoll(text) : 0;
  return seconds;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  const int result = NEXT(clock_gettime)(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += moved_by();
  return result;
}

int gettimeofday(struct timeval* now, void* zone) noexcept {
  const int result = NEXT(gettimeofday)(now, zone);
  if (result == 0) now->tv_sec += moved_by();
  return result;
}

std::time_t time(std::time_t* now) noexcept {
  const std::time_t result = NEXT(time)(nullptr) + moved_by();
  if (now) *now = result;
  return result;
}
}
