#include "system_call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace letterpress {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;
#endif

// The lower half of an argument: descriptors and flags fit into it.
constexpr std::uint32_t argument_at(std::size_t index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
}

// seccomp(2): a program of the kernel's packet filter, which reads one call and returns what
// becomes of it.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    skip_unless(BPF_JEQ, kMachine, 1, 0);
    refuse();
  }

  void allow(int call) {
    begin(call, 1);
    allow();
  }
  // With this value of an argument; with others it may be allowed further on.
  void allow_with(int call, std::size_t argument, std::uint32_t value) {
    begin(call, 3);
    load(argument_at(argument));
    skip_unless(BPF_JEQ, value, 0, 1);
    allow();
  }
  // Memory that nothing can be run from.
  void allow_data(int call) {
    begin(call, kRefuseCode + 1);
    refuse_code();
    allow();
  }
  // Memory that is no file's, and that nothing can be run from.
  void allow_own_data(int call) {
    begin(call, kRefuseCode + 4);
    refuse_code();
    load(argument_at(3));
    skip_unless(BPF_JSET, MAP_ANONYMOUS, 1, 0);
    refuse();
    allow();
  }

  void put_on() {
    refuse();
    const sock_fprog program{.len = static_cast<unsigned short>(steps_.size()),
                             .filter = steps_.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  }

 private:
  // Leaps over the next `length` steps for any other call.
  void begin(int call, std::uint8_t length) {
    load(offsetof(seccomp_data, nr));
    skip_unless(BPF_JEQ, static_cast<std::uint32_t>(call), 0, length);
  }
  // Of mmap and mprotect, which have their protection in the same place: so many steps.
  static constexpr std::uint8_t kRefuseCode = 3;
  void refuse_code() {
    load(argument_at(2));
    skip_unless(BPF_JSET, PROT_EXEC, 0, 1);
    refuse();
  }
  void load(std::uint32_t offset) { steps_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
  void skip_unless(int test, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    steps_.push_back(
        BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value, if_true, if_false));
  }
  void allow() { steps_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)); }
  void refuse() { steps_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)); }

  std::vector<sock_filter> steps_;
};

}  // namespace

void leave_only_memory_and(int descriptor) {
  if (kMachine == 0) return;
  Filter filter;
  // What malloc asks for, in any thread's arena.
  for (const int call : {SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_futex, SYS_sched_yield})
    filter.allow(call);
  filter.allow_own_data(SYS_mmap);
  filter.allow_data(SYS_mprotect);
  filter.allow_with(SYS_write, 0, static_cast<std::uint32_t>(descriptor));
  filter.allow_with(SYS_tgkill, 0, static_cast<std::uint32_t>(getpid()));  // what abort() does
  for (const int call :
       {SYS_exit_group, SYS_exit, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_clock_gettime,
        SYS_gettimeofday, SYS_getpid, SYS_gettid, SYS_getrandom, SYS_sigaltstack})
    filter.allow(call);
  filter.put_on();
}

}  // namespace letterpress
