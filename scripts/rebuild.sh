#!/usr/bin/env bash
# For cron and timers: builds a store again with the inputs and flags of its last build. Its gates are not repeated; give them after --.
# Prints nothing when all is well. When a step fails, it prints a report for a mail and passes on the exit code. If another run of this
# script is at work on the store, it exits with 75; if there is no store to build again, with 66. Stopped by SIGTERM, Ctrl-C or a closed terminal it stops
# what it runs, prints nothing and exits with 143, 130 or 129.
# usage: scripts/rebuild.sh --store DIR [--report FILE.html] [--train RUNS] [--mail ADDRESS] [--verbose] [-- FLAGS OF BUILD...]
#   --report   writes the HTML report when it is missing or older than the newest snapshot, whichever run published that
#   --train    then trains, if the newest snapshot was not trained on yet: a new run in the folder RUNS, from the best weights of the last one,
#              which RUNS/current points at, with the flags of fit in RUNS/fit.toml, if that file exists. A run that was stopped is resumed the
#              next time. A run that diverged, whose checkpoint is damaged, or that cannot be resumed though a new one can be begun (fit.toml
#              was changed, the store was made anew) is set aside as RUN.failed; the next one begins anew. Nothing is ever deleted; a run
#              that failed for another reason, a damaged store or a missing GPU for instance, is resumed
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
    --help) sed -n '2,15s/^# \{0,1\}//p' "$0"; exit 0 ;;
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
tried=
trap 'rm -f "$output" "$tried"' EXIT

# What runs is told to stop when this script is, and waited for: it keeps what is finished, or writes its checkpoint.
running= stopped=
stop() {
  stopped=$1
  [ -z "$running" ] || kill -TERM "$running" 2>/dev/null
}
trap 'stop 143' TERM
trap 'stop 130' INT
trap 'stop 129' HUP
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

newest_snapshot() {  # its file; nothing if there is none
  local all=("$store"/snapshots/*.json)
  [ ! -e "${all[-1]}" ] || echo "${all[-1]}"
}
names_input() {
  local word
  for word in "$@"; do
    case $word in --input | --input=* | --config | --config=*) return 0 ;; esac
  done
  return 1
}

# What is left of a store that has been here: its page, or a training on it.
trace() {
  [ -z "$report" ] || [ ! -f "$report" ] || { echo "$report"; return; }
  local link
  for link in current next; do [ -z "$runs" ] || [ ! -L "$runs/$link" ] || { echo "$runs/$link"; return; }; done
}

started=$SECONDS step=build absent=false before=$(newest_snapshot) left=
[ -d "$store/snapshots" ] || left=$(trace)
if [ -n "$left" ]; then
  # With --input it would be built on the disk of the mount point.
  absent=true code=66
else
  run "$program" build --store "$store" --json "$@" >"$output" 2>&1 9>&-
  code=$?
fi
[ -z "$stopped" ] || exit "$stopped"
$verbose && cat "$output"
newest=$(newest_snapshot)
published() { [ "$newest" != "$before" ]; }
# Nothing to repeat: for build the flags are wrong, but a scheduled one has had a store here.
if [ $code -eq 64 ] && [ ! -d "$store/snapshots" ] && ! names_input "$@"; then
  absent=true code=66
fi

# Also where the run that published was stopped, or failed, before its page was written.
page_is_old() { [ ! -f "$report" ] || [ "$report" -ot "$newest" ]; }
if [ $code -eq 0 ] && [ -n "$report" ] && [ -n "$newest" ] && { published || page_is_old; }; then
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
  # What fit.toml may start the first run from gives way to that.
  [ ! -e "$runs/current" ] || flags+=(--init "$runs/current" --pretrained=)
  run "$trainer" fit --store "$store" --out "$folder" --if-new --resume --json "${flags[@]}"
  local ended=$?
  case $ended in
    65) judge_damage "$folder" || return 73 ;;
    66 | 78) judge_conflict "$folder" $ended "${flags[@]}" || return 73 ;;
  esac
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
# Of a run that failed: why, and set aside if it would end in the same way for ever. That of other reasons goes on once they are gone.
why= aside=
judge_damage() {
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
# Of its folder, its exit code and the flags of a new run. What stops a new run as well, such as a GPU that is missing tonight, is no reason
# to give up a run that has begun: it is set aside only if a new one would begin.
judge_conflict() {
  local folder=$1 ended=$2
  shift 2
  [ -e "$folder/last.safetensors" ] || [ -e "$folder/results.csv" ] || return 0
  tried=$(mktemp) || return 0
  try "$@" --out "$folder" --resume
  [ $? -eq "$ended" ] || return 0
  if try "$@" --out "$folder.new"; then
    why="it cannot be resumed, but a new one can be begun; were its flags changed, or was the store made anew?"
    set_aside "$folder"
  elif [ -z "$stopped" ]; then
    why="with these flags, this store and this machine it cannot be resumed, nor can a new one be begun"
    grep -qxF -- "$(tail -n 1 "$tried")" "$output" || tail -n 1 "$tried"
  fi
}
try() { run "$trainer" fit --store "$store" --dry-run "$@" >"$tried" 2>&1; }  # writes nothing but what it says
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
trap - TERM INT HUP

# Whether it failed only because its output could not be written. A build says last, as JSON, how it ended.
unwritten() {
  [ $code -eq 74 ] && { [ ! -s "$output" ] || { [ $step = build ] && ! grep -q '^{"outcome".*}$' "$output"; }; }
}
lacks_format() { [ -n "$newest" ] && [ ! -e "$store/FORMAT" ]; }

meaning() {
  case $1 in
    64) [ $step = build ] && lacks_format && echo "the store's file FORMAT is missing" || echo "the flags are wrong" ;;
    65) case $step in
        report) echo "the store is damaged" ;;
        training) echo "$why" ;;
        *) echo "the input is not what it must be; nothing was published" ;;
      esac ;;
    66) $absent && echo "there is no store at $store${left:+, though $left is there}: is a disk not mounted?" || echo "${why:-there is no input: is a disk not mounted?}" ;;
    73) echo "an output cannot be created" ;;
    74) unwritten && echo "what it printed could not be written to ${TMPDIR:-/tmp}: is that disk full?" || echo "reading or writing failed, or the disk is full" ;;
    75) echo "another process holds the store, or the input changed while it was read; the next run tries again" ;;
    78) [ $step = training ] && echo "${why:-its flags conflict with the store, with what it starts from or with this machine}" || echo "options conflict with the store" ;;
    129 | 130 | 143) [ $step = training ] && echo "it was stopped; the next run resumes it" || echo "it was stopped; finished shards are kept and the next run uses them" ;;
    *) echo "a bug of the program; please report it" ;;
  esac
}

last_lines() {  # of what it reads; nothing if that is empty
  local text
  text=$(tail -n 40 | sed 's/^/  /')
  [ -z "$text" ] || printf '\nThe last lines of the %s:\n%s\n' $step "$text"
}
see_again() {
  printf '\nTo see it again:\n '
  printf ' %q' "$program" "$@"
  echo
}

report_of_page() {
  if unwritten && ! page_is_old; then
    printf 'The page %s was written.\n' "$report"
  else
    printf 'The build before it %s; only the page %s was not written. The next run of this script tries again.\n' \
      "$(published && echo "published a new snapshot" || echo "succeeded")" "$report"
  fi
  last_lines <"$output"
  see_again report --store "$store" --out "$report"
}

report_of_training() {
  printf 'The build before it succeeded. '
  if [ -L "$runs/next" ]; then
    printf 'The next run of this script resumes %s.\n' "$runs/$(readlink "$runs/next")"
  else
    [ -z "$aside" ] || printf 'This run was set aside as %s. ' "$aside"
    printf 'The next run of this script begins anew, from %s.\n' "$([ -e "$runs/current" ] && echo "the weights of $runs/current" || echo "random weights")"
  fi
  case $code in 64 | 78) [ ! -e "$runs/fit.toml" ] || printf 'Its flags are in %s.\n' "$runs/fit.toml" ;; esac
  if [ $code -eq 78 ] && [ -z "$aside" ] && [ -e "$runs/current" ]; then
    printf 'A new run starts from the weights of %s; without that link it starts from random ones.\n' "$runs/current"
  fi
  local all=("$runs"/*.failed*)
  [ ! -e "${all[0]}" ] || printf 'Runs that were set aside, to be deleted by you: %s\n' "${all[*]}"
  grep -v '^{' "$output" | last_lines
}

report_of_build() {
  if published; then
    printf 'It published snapshot %d all the same; trainings go on with that one.\n' "$((10#$(basename "$newest" .json)))"
    [ -z "$report" ] || ! page_is_old || printf 'The next run whose build succeeds writes the page %s.\n' "$report"
  elif [ -n "$newest" ] && ! lacks_format; then
    printf 'The last snapshot stands; trainings go on with it.\n'
  fi
  [ -z "$left" ] || printf 'If it is gone for good, build it once by hand: %s build --store %q ...\n' "$program" "$store"
  grep -v '^{"outcome"' "$output" | last_lines
  $absent || see_again build --store "$store" --dry-run "$@"
}

failure_report() {
  printf 'The %s of %s on %s failed after %d s with exit code %d: %s.\n' $step "$store" "$(hostname)" $((SECONDS - started)) $code "$(meaning $code)" |
    sed 's/?\.$/?/'
  case $step in
    report) report_of_page ;;
    training) report_of_training ;;
    *) report_of_build "$@" ;;
  esac
}

failure_report "$@"
if [ -n "$mail" ]; then
  { printf 'To: %s\nSubject: letterpress: the %s of %s failed (%d)\n\n' "$mail" $step "$store" $code; failure_report "$@"; } |
    PATH=$PATH:/usr/sbin sendmail -t || echo "rebuild.sh: sendmail failed; the report above was not sent" >&2
fi
exit $code
