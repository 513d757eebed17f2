#include "letterpress/base/error.h"

#include <cerrno>
#include <cstring>

namespace letterpress {

std::string to_string(const Message& message) {
  std::string text = message.where.empty() ? message.what : message.where + ": " + message.what;
  return message.fix.empty() ? text : text + "; " + message.fix;
}

Message inside(const std::string& where, Message message) {
  if (where.empty()) return message;
  message.where = message.where.empty() ? where : where + ": " + message.where;
  return message;
}

Message with_fix(Message message, const std::string& fix) {
  message.fix += (message.fix.empty() ? "" : "; ") + fix;
  return message;
}

Message with_remark(Message message, const std::string& remark) {
  (message.fix.empty() ? message.what : message.fix) += remark;
  return message;
}

Error system_error(const std::string& where, const std::string& what, int error_number) {
  const bool refused = error_number == EACCES || error_number == EPERM;
  const std::string fix =
      refused                 ? "give this user write access or name another folder"
      : error_number == EROFS ? "it is mounted to be read only; name another folder"
      : error_number == ENOSPC
          ? "free some space or inodes (df, df -i), or name another file system"
      : error_number == EIO    ? "is the disk failing? see the system's log (dmesg), then run again"
      : error_number == EDQUOT ? "free some space, or have this user's quota raised"
      : error_number == ESTALE ? "its server has changed: mount it again, then run again"
      : error_number == EMFILE ? "raise the limit of open files (ulimit -n)"
      : error_number == EISDIR ? "remove or rename the folder that is in its place"
      : error_number == EFBIG  ? "raise the limit of a file's size (ulimit -f)"
                               : "";
  return Error({.where = where, .what = what + ": " + std::strerror(error_number), .fix = fix},
               Exit::io);
}

Error reading_error(const std::string& where, const std::string& what, int error_number) {
  if (error_number != EACCES && error_number != EPERM)
    return system_error(where, what, error_number);
  return Error({.where = where,
                .what = what + ": " + std::strerror(error_number),
                .fix = "give this user access to it"},
               Exit::io);
}

}  // namespace letterpress
