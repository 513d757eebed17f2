#!/usr/bin/env python3
"""Shows FOLDER below MOUNT by FUSE, without the calls that are named, to see what a program does where a file system lacks them.
shared_locks: locks are FOLDER's own, so that those who show it elsewhere meet them, as clients of a server do.
usage: scripts/proof/shown_folder.py FOLDER MOUNT [link] [rename_flags] [locks] [shared_locks]"""
import ctypes.util
import errno
import fcntl
import os
import sys

os.environ.setdefault("FUSE_LIBRARY_PATH", ctypes.util.find_library("fuse3") or "")  # that of FUSE 2 knows no flags of rename
import mfusepy  # noqa: E402


class Shown(mfusepy.Operations):
    use_ns = True

    def __init__(self, folder, without):
        self.folder, self.without = folder, without

    def below(self, path):
        return self.folder + path

    def getattr(self, path, fh=None):
        status = os.lstat(self.below(path))
        names = ("st_mode", "st_nlink", "st_size", "st_uid", "st_gid", "st_ino", "st_blocks")
        return {name: getattr(status, name) for name in names} | {"st_mtime": status.st_mtime_ns, "st_atime": status.st_atime_ns,
                                                                    "st_ctime": status.st_ctime_ns}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.below(path))]

    def open(self, path, flags):
        return os.open(self.below(path), flags & ~os.O_DIRECT)

    def create(self, path, mode, fi=None):
        return os.open(self.below(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(self.below(path), length)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def fsyncdir(self, path, datasync, fh):
        return 0

    def flush(self, path, fh):
        return 0

    def release(self, path, fh):
        os.close(fh)

    def unlink(self, path):
        os.unlink(self.below(path))

    def mkdir(self, path, mode):
        os.mkdir(self.below(path), mode)

    def rmdir(self, path):
        os.rmdir(self.below(path))

    def chmod(self, path, mode):
        os.chmod(self.below(path), mode)

    def chown(self, path, uid, gid):
        os.chown(self.below(path), uid, gid)

    def utimens(self, path, times=None):
        os.utime(self.below(path), ns=times)

    def link(self, target, source):
        if "link" in self.without:
            raise OSError(errno.EPERM, "no hard links")
        os.link(self.below(source), self.below(target))

    def rename(self, old, new, flags=0):
        if flags and "rename_flags" in self.without:
            raise OSError(errno.EINVAL, "no flags")
        if flags & 1 and os.path.lexists(self.below(new)):  # RENAME_NOREPLACE; one process serves all calls, one after another
            raise OSError(errno.EEXIST, "is there")
        os.rename(self.below(old), self.below(new))

    def statfs(self, path):
        status = os.statvfs(self.below(path))
        return {name: getattr(status, name) for name in ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_frsize", "f_files", "f_ffree", "f_namemax")}


class ShownWithLocks(Shown):
    """The kernel asks for each lock; Shown leaves them to it."""

    def flock(self, path, fh, operation):
        if "locks" in self.without:
            raise OSError(errno.EOPNOTSUPP, "no locks")
        fcntl.flock(fh, operation | fcntl.LOCK_NB)  # one process serves all calls: it must not wait
        return 0


class Fuse(mfusepy.FUSE):
    """mfusepy drops the flags of rename, and a file that must not be replaced would be."""

    def rename_fuse_3(self, old, new, flags):
        return self.operations.rename(os.fsdecode(old), os.fsdecode(new), flags)


if __name__ == "__main__":
    kind = ShownWithLocks if {"locks", "shared_locks"} & set(sys.argv[3:]) else Shown
    Fuse(kind(os.path.realpath(sys.argv[1]), sys.argv[3:]), sys.argv[2], foreground=True, nothreads=True)
