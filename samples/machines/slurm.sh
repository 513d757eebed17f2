#!/usr/bin/env bash
# Preprocesses on 16 machines of a Slurm cluster; the store is on a file system that all of them share.
#   samples/machines/slurm.sh STORE FLAGS-OF-BUILD...
set -euo pipefail
store=$1
shift
plan=$(letterpress-preprocess plan --store "$store" "$@" | sed -n 's/^plan //p')
[ -n "$plan" ] || { echo "nothing has changed"; exit 0; }
# The part is found from the array's own variables. A part that fails may be submitted again; finished shards are used.
array=$(sbatch --parsable --array=0-15 --cpus-per-task=16 --wrap "letterpress-preprocess map --plan '$plan' --threads 16")
sbatch --dependency="afterok:$array" --wrap "letterpress-preprocess reduce --plan '$plan'"
