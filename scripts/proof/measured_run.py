"""Runs a program and tells what it took: wall time, peak memory, and how many descriptors it had open at most. A small process of its own starts it:
what the starter of a program had in memory counts as the program's (getrusage), and a proof's Python has more than some programs."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

BETWEEN_LOOKS_S = 0.005


def most_open(pid, done, most):
    """Looks at the descriptors of a process until it is done."""
    while not done.wait(BETWEEN_LOOKS_S):
        try:
            most[0] = max(most[0], len(os.listdir(f"/proc/{pid}/fd")))
        except OSError:  # it has just ended
            return


def start_small(result, descriptors, words):
    """What the small process does."""
    begin, done, most = time.monotonic(), threading.Event(), [0]
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
        os.execv(words[0], words)
    watcher = threading.Thread(target=most_open, args=(pid, done, most))
    watcher.start()
    _, status, usage = os.wait4(pid, 0)
    seconds = time.monotonic() - begin
    done.set()
    watcher.join()
    with open(result, "w") as file:
        json.dump({"exit": os.waitstatus_to_exitcode(status), "seconds": round(seconds, 3), "cpu_s": round(usage.ru_utime + usage.ru_stime, 3),
                   "kib": usage.ru_maxrss, "descriptors": most[0]}, file)


def took(words, descriptors):
    """Runs it where no more than so many descriptors can be open. Returns what it took and how it ended ("exit"), what it printed, and what it said beside
    that."""
    from works import Wrong

    words = [str(word) for word in words]
    with tempfile.NamedTemporaryFile("r") as result:
        starter = [sys.executable, "-S", "-E", __file__, result.name, str(descriptors), *words]
        ended = subprocess.run(starter, capture_output=True, text=True, errors="replace")
        if ended.returncode != 0:
            raise Wrong(f"{' '.join(words)}: could not be started: {ended.stderr.strip()}")
        return json.load(result), ended.stdout.strip(), ended.stderr.strip()


def measure(words, descriptors):
    """took() of a program that must succeed, for the page, and what it printed. Raises Wrong when it fails."""
    from works import Wrong

    found, printed, said = took(words, descriptors)
    if (code := found.pop("exit")) != 0:
        raise Wrong(f"{' '.join(map(str, words))}: exit {code}: {said[-600:]}")
    del found["cpu_s"]
    return {**found, "descriptors_allowed": descriptors}, printed


def most_of(measured):
    return {name: max(one[name] for one in measured) for name in measured[0]}


def best_of(rounds, run):
    """The shortest time of several runs, and the most memory and descriptors of any. run() -> what measure() returns."""
    results = [run() for _ in range(rounds)]
    measured = [result[0] for result in results]
    return most_of(measured) | {"seconds": min(one["seconds"] for one in measured)}, results[-1][1]


def build_of(programs):
    """How the programs of a build folder's bin were compiled."""
    cache = programs.parent / "CMakeCache.txt"
    if not cache.exists():
        return f"programs of {programs.name}"
    values = dict(line.split("=", 1) for line in cache.read_text().splitlines() if "=" in line and ":" in line.split("=", 1)[0])
    kind = values.get("CMAKE_BUILD_TYPE:STRING", "")
    return f"{programs.parent.name}: {kind}, {values.get(f'CMAKE_CXX_FLAGS_{kind.upper()}:STRING', '')}"


if __name__ == "__main__":
    start_small(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
