#!/usr/bin/env bash
# For cron and timers: builds a store again with the inputs and flags of its last build. Its gates are not repeated; give them after --.
# Prints nothing when all is well. When a step fails, it prints a report for a mail and passes on the exit code. If another run of this
# script is at work on the store, it exits with 75. Stopped by SIGTERM or Ctrl-C it stops what it runs, prints nothing and exits with 143 or 130.
# usage: scripts/rebuild.sh --store DIR [--report FILE.html] [--train RUNS] [--mail ADDRESS] [--verbose] [-- FLAGS OF BUILD...]
#   --report   writes the HTML report again when a snapshot was published
#   --train    then trains, if the newest snapshot was not trained on yet: a new run in the folder RUNS, from the best weights of the last one,
#              which RUNS/current points at, with the flags of fit in RUNS/fit.toml, if that file exists. A run that was stopped is resumed the
#              next time. A run that diverged, or whose checkpoint is damaged, is set aside as RUN.failed; the next one begins anew. Nothing
#              is ever deleted; a run that failed for another reason, a damaged store for instance, is resumed
#   --mail     sends the report of a failure by sendmail too
# LETTERPRESS_PREPROCESS and LETTERPRESS_TRAINER name the programs; otherwise they are sought in PATH, then in build/release/bin beside this script.
set -uo pipefail

store= report= runs= mail= verbose=false
fail() { echo "rebuild.sh: $2" >&2; exit "$1"; }
value() { [ $# -ge 2 ] && [ -n "$2" ] || fail 64 "$1 needs a value; --help explains the flags"; }
while [ $# -gt 0 ]; do
  case $1 in
    --store) value "$@"; store=$2; shift 2 ;;
    --report) value "$@"; report=$2; shift 2 ;;
    --train) value "$@"; runs=$2; shift 2 ;;
    --mail) value "$@"; mail=$2; shift 2 ;;
    --verbose) verbose=true; shift ;;
    --help) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --) shift; break ;;
    *) fail 64 "unknown flag '$1'; known: --store, --report, --train, --mail, --verbose, and build's own after --" ;;
  esac
done
[ -n "$store" ] || fail 64 "no --store given; name the folder of the shards"

program_of() {  # its name, the variable that names its file
  local program=${!2:-$(command -v "$1" || echo "$(dirname "$0")/../build/release/bin/$1")}
  [ -x "$program" ] || fail 73 "$program: is not a program; build it (cmake --workflow --preset release) or set $2"
  echo "$program"
}
program=$(program_of letterpress-preprocess LETTERPRESS_PREPROCESS) || exit
trainer=
[ -z "$runs" ] || trainer=$(program_of letterpress-trainer LETTERPRESS_TRAINER) || exit

# Beside the system's temporary files, not in the store: nothing may be written into a mount point whose mount is missing.
lock=${TMPDIR:-/tmp}/letterpress-rebuild-$(id -u)-$(realpath -m -- "$store" | cksum | cut -d' ' -f1).lock
exec 9>>"$lock" || fail 73 "$lock: cannot be opened"
flock --nonblock 9 || fail 75 "$store: another run of this script holds the lock; nothing was done"

output=$(mktemp) || fail 73 "no temporary file can be made"
trap 'rm -f "$output"' EXIT

# What runs is told to stop when this script is, and waited for: it keeps what is finished, or writes its checkpoint.
running= stopped=
stop() {
  stopped=$1
  [ -z "$running" ] || kill -TERM "$running" 2>/dev/null
}
trap 'stop 143' TERM
trap 'stop 130' INT
run() {
  local ended
  [ -z "$stopped" ] || return "$stopped"
  "$@" &
  running=$!
  [ -z "$stopped" ] || kill -TERM "$running" 2>/dev/null  # since the line above
  while wait "$running"; ended=$?; kill -0 "$running" 2>/dev/null; do :; done  # a signal ends wait, too
  running=
  return $ended
}

started=$SECONDS step=build
run "$program" build --store "$store" --json "$@" >"$output" 2>&1 9>&-
code=$?
[ -z "$stopped" ] || exit "$stopped"
$verbose && cat "$output"

if [ $code -eq 0 ] && [ -n "$report" ] && grep -q '^{"outcome":"published"' "$output"; then
  step=report
  run "$program" report --store "$store" --out "$report" >"$output" 2>&1 9>&-
  code=$?
  [ -z "$stopped" ] || exit "$stopped"
fi

# Only by the JSON that fit prints last; its other texts are for people. Nothing if it printed none.
ending() { sed -n 's/^{.*"ending":"\([^"]*\)".*/\1/p' "$output" | tail -n 1; }

# RUNS/next is the run that has begun and not ended, RUNS/current the last one that has. What fit says is in $output.
train() {
  mkdir -p "$runs" || return 73
  [ -L "$runs/next" ] || ln -s "$(date +%Y%m%d-%H%M%S)" "$runs/next" || return 73
  local folder flags=()
  folder=$runs/$(readlink "$runs/next")
  [ ! -e "$runs/fit.toml" ] || flags+=(--config "$runs/fit.toml")
  [ ! -e "$runs/current" ] || flags+=(--init "$runs/current")
  run "$trainer" fit --store "$store" --out "$folder" --if-new --resume --json "${flags[@]}"
  local ended=$?
  [ $ended -ne 65 ] || judge "$folder" || return 73
  [ $ended -eq 0 ] || return $ended
  case $(ending) in
    complete | stalled | 'nothing new') ;;
    *) return 0 ;;  # out of time: the next run resumes it
  esac
  if [ -e "$folder/best.safetensors" ]; then
    ln -sfn "$(basename "$folder")" "$runs/.current" && mv -fT "$runs/.current" "$runs/current" || return 73
  fi
  rm "$runs/next"
}
# Of a run that ended with 65: why, and set aside if it would end in the same way for ever. That of other reasons goes on once they are gone.
why= aside=
judge() {
  local last=$1/last.safetensors
  if [ "$(ending)" = diverged ]; then
    why="the training diverged"
    set_aside "$1"
  elif [ -e "$last" ] && { "$trainer" inspect --checkpoint "$last" >/dev/null 2>&1; [ $? -eq 65 ]; }; then
    why="the run's checkpoint $last is damaged"
    set_aside "$1"
  else
    why="the store, or what the run starts from, is damaged"
  fi
}
set_aside() {
  rm "$runs/next" || return
  [ -e "$1" ] || return 0
  aside=$1.failed
  mv -T --backup=numbered "$1" "$aside"
}
if [ $code -eq 0 ] && [ -n "$runs" ]; then
  # Builds go on while this trains; one training at a time.
  exec 9>&- 8>>"${lock%.lock}-train.lock"
  flock --nonblock 8 || exit 0
  step=training
  train >"$output" 2>&1 8>&-
  code=$?
  [ -z "$stopped" ] || exit "$stopped"
  $verbose && cat "$output"
fi
[ $code -ne 0 ] || exit 0
trap - TERM INT

meaning() {
  case $1 in
    64) echo "the flags are wrong" ;;
    65) case $step in
        report) echo "the store is damaged" ;;
        training) echo "$why" ;;
        *) echo "the input is not what it must be; nothing was published" ;;
      esac ;;
    66) echo "there is no input: is a disk not mounted?" ;;
    73) echo "an output cannot be created" ;;
    74) echo "reading or writing failed, or the disk is full" ;;
    75) echo "another process holds the store, or the input changed while it was read; the next run tries again" ;;
    78) echo "options conflict with the store" ;;
    130 | 143) [ $step = training ] && echo "it was stopped; the next run resumes it" || echo "it was stopped; finished shards are kept and the next run uses them" ;;
    *) echo "a bug of the program; please report it" ;;
  esac
}

failed_runs() {
  local all=("$runs"/*.failed*)
  [ ! -e "${all[0]}" ] || printf 'Runs that were set aside, to be deleted by you: %s\n' "${all[*]}"
}

failure_report() {
  printf 'The %s of %s on %s failed after %d s with exit code %d: %s.\n' $step "$store" "$(hostname)" $((SECONDS - started)) $code "$(meaning $code)"
  if [ $step = report ]; then
    printf 'The build before it published a new snapshot; only the page %s was not written.\n\nThe last lines of the report:\n' "$report"
    tail -n 40 "$output" | sed 's/^/  /'
    printf '\nTo see it again:\n  %s report --store %s --out %s\n' "$program" "$store" "$report"
    return
  fi
  if [ $step = training ]; then
    printf 'The build before it succeeded. '
    if [ -L "$runs/next" ]; then
      printf 'The next run of this script resumes %s.\n' "$runs/$(readlink "$runs/next")"
    else
      [ -z "$aside" ] || printf 'This run was set aside as %s. ' "$aside"
      printf 'The next run of this script begins anew, from %s.\n' "$([ -e "$runs/current" ] && echo "the weights of $runs/current" || echo "random weights")"
    fi
    failed_runs
    printf '\nThe last lines of the training:\n'
    grep -v '^{' "$output" | tail -n 40 | sed 's/^/  /'
    return
  fi
  printf 'The last snapshot stands; trainings go on with it.\n\nThe last lines of the build:\n'
  grep -v '^{"outcome"' "$output" | tail -n 40 | sed 's/^/  /'
  printf '\nTo see it again:\n  %s build --store %s --dry-run%s\n' "$program" "$store" "$(printf ' %q' "$@" | sed "s/^ ''$//")"
}

failure_report "$@"
if [ -n "$mail" ]; then
  { printf 'To: %s\nSubject: letterpress: the %s of %s failed (%d)\n\n' "$mail" $step "$store" $code; failure_report "$@"; } |
    PATH=$PATH:/usr/sbin sendmail -t || echo "rebuild.sh: sendmail failed; the report above was not sent" >&2
fi
exit $code
