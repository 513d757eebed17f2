"""What a benchmark stands on: the peers' virtual environment, our programs, and a description of the machine."""
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / ".deps" / "bench"
REQUIREMENTS = ROOT / "scripts" / "bench" / "requirements.txt"
TORCH_REQUIREMENTS = ROOT / "scripts" / "bench" / "torch-requirements.txt"
LOADER_REQUIREMENTS = ROOT / "scripts" / "bench" / "loader-requirements.txt"
PREDICT_REQUIREMENTS = ROOT / "scripts" / "bench" / "predict-requirements.txt"
TILES_REQUIREMENTS = ROOT / "scripts" / "bench" / "tiles-requirements.txt"
BIN = ROOT / "build" / "release" / "bin"


def install_peers():
    """Peers from PyPI into .deps/bench, once per content of the requirements. PyTorch is shared with .deps/torch where that is there."""
    marker = PEERS / ".letterpress"
    wanted = REQUIREMENTS.read_text() + TORCH_REQUIREMENTS.read_text()
    if marker.exists() and marker.read_text() == wanted:
        return
    print("bench: peers into .deps/bench (1.5 GB on disk)", file=sys.stderr)
    if not (PEERS / "bin" / "pip").exists():
        subprocess.run(["/usr/bin/python3", "-m", "venv", PEERS], check=True)
    pip = [PEERS / "bin" / "pip", "install", "--quiet", "--no-deps"]  # --no-deps: the lists are whole, and torch stays where it is
    subprocess.run([*pip, "-r", REQUIREMENTS], check=True)
    shared = ROOT / ".deps" / "torch"
    if (shared / "torch" / "__init__.py").exists():
        packages = next((PEERS / "lib").glob("python3*")) / "site-packages"
        (packages / "shared_torch.pth").write_text(f"{shared.resolve()}\n")
        subprocess.run([*pip, "-r", TORCH_REQUIREMENTS], check=True)
    else:
        subprocess.run([PEERS / "bin" / "pip", "install", "--quiet", "torch==2.11.0"], check=True)
    marker.write_text(wanted)


def python_of_peers(given=None):
    """The given interpreter, which has the peers, or that of .deps/bench, where they are installed first."""
    if given is None:
        install_peers()
    return given or PEERS / "bin" / "python"


def install_loader_peers():
    install_listed("loader", LOADER_REQUIREMENTS)


def install_predict_peers():
    install_listed("predict", PREDICT_REQUIREMENTS)


def install_tiles_peers():
    install_listed("tiles", TILES_REQUIREMENTS)


def install_listed(name, requirements):
    """Peers of a list beside the others. One whose wheel does not install is left out, with pip's reason in a file."""
    marker, wanted = PEERS / f".letterpress-{name}", requirements.read_text()
    if marker.exists() and marker.read_text() == wanted:
        return
    reasons = PEERS / ".missing"
    reasons.mkdir(exist_ok=True)
    for line in wanted.splitlines():
        packages = line.split("#")[0].split()
        if not packages:
            continue
        pip = [PEERS / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", *packages]
        finished = subprocess.run(pip, capture_output=True, text=True)
        reason = reasons / packages[0].split("==")[0]
        if finished.returncode == 0:
            reason.unlink(missing_ok=True)
            continue
        said = [text.strip() for text in finished.stderr.splitlines() if "rror" in text]
        reason.write_text(said[0] if said else f"pip ended with {finished.returncode}")
    marker.write_text(wanted)


def why_missing(package):
    """Empty when the package is there, else what pip said."""
    reason = PEERS / ".missing" / package
    return f"pip install {package}: {reason.read_text()}" if reason.exists() else ""


def install_fio():
    """Whether fio is here; installs it from Debian where this user may."""
    if not shutil.which("fio") and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "fio"], stdout=subprocess.DEVNULL, check=False)
    return shutil.which("fio") is not None


def build_programs(trainer=False, predict=False):
    """letterpress-preprocess and the micro-benchmarks, or letterpress-trainer and the Python package, as the release preset builds them; with
    `predict` also that and what measures its engines."""
    options = [f"-DLETTERPRESS_{name}" for name in (f"TRAINER={'ON' if trainer else 'OFF'}", "BENCH=ON")]
    targets = ["letterpress-preprocess", *(["letterpress-trainer", "letterpress_python"] if trainer else ["letterpress-microbench"])]
    targets += ["letterpress-predict", "letterpress-enginebench"] if predict else []
    if trainer:
        options += ["-DLETTERPRESS_PYTHON=ON", f"-DPython_EXECUTABLE={PEERS}/bin/python"]
    quiet = {"cwd": ROOT, "check": True, "stdout": subprocess.DEVNULL}
    if not (ROOT / "build" / "release" / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "--preset", "release", *options], **quiet)
    else:
        again = [option for option in options if not option.endswith("=OFF")]
        subprocess.run(["cmake", *again, "build/release"], **quiet)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", *targets], **quiet)


def memory_folder():
    """A new folder on a tmpfs, or else in the system's temporary folder."""
    shared_memory = pathlib.Path("/dev/shm")
    return tempfile.mkdtemp(prefix="letterpress-bench-", dir=shared_memory if os.access(shared_memory, os.W_OK) else None)


def warm_memory(folder, megabytes):
    """Memory that is about to be written is written once, as two files of which the one with 15 of 16 pages goes again: the host of a virtual
    machine hands memory out at the first touch, which takes longer than a row's copy does, and takes back what is free in larger blocks
    than the pages that stay let there be."""
    page = os.sysconf("SC_PAGE_SIZE")
    freed = pathlib.Path(folder) / "freed"
    with open(freed, "wb", buffering=0) as fifteen, open(pathlib.Path(folder) / "kept", "wb", buffering=0) as one:
        for _ in range((megabytes << 20) // (16 * page)):
            fifteen.write(bytes(15 * page))
            one.write(bytes(page))
    freed.unlink()


def touch_memory(folder, megabytes):
    """What is about to be written there is written once more, for the host has taken some of it back since."""
    touched = pathlib.Path(folder) / "touched"
    with open(touched, "wb", buffering=0) as file:
        for _ in range(megabytes):
            file.write(bytes(1 << 20))
    touched.unlink()


def processor_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def processor_times():
    """(stolen, all) of the processors' time since the machine was started, in its own unit: a virtual machine's host takes some for others."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[7], sum(ticks)


STOLEN_AT_START, ALL_AT_START = processor_times()


def device_name(device):
    """Of "cuda" or "cuda:N"; as it was given where nvidia-smi does not tell."""
    if not shutil.which("nvidia-smi"):
        return device
    words = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader", f"--id={device.partition(':')[2] or 0}"]
    asked = subprocess.run(words, capture_output=True, text=True)
    return asked.stdout.strip() if asked.returncode == 0 and asked.stdout.strip() else device


def commit_of_sources():
    """What LETTERPRESS_COMMIT says, for a copy elsewhere; else of the repository."""
    words = ["git", "rev-parse", "--short", "HEAD"]
    said = os.environ.get("LETTERPRESS_COMMIT")
    if said or not shutil.which("git"):
        return said or "unknown"
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.strip() or "unknown"


def machine():
    stolen, total = processor_times()
    return {
        "processor": processor_name(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": platform.platform(),
        "commit": commit_of_sources(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "stolen": round((stolen - STOLEN_AT_START) / max(1, total - ALL_AT_START), 3),  # of all time, while this program ran
    }


def measured_on(device="cpu"):
    """What a cell of a study keeps of machine(), and the name of the CUDA device that it was trained on."""
    kept = {key: value for key, value in machine().items() if key in ("processor", "commit", "date")}
    return kept if device == "cpu" else kept | {"device": device_name(device)}


def remove(folder):
    shutil.rmtree(folder, ignore_errors=True)
