#!/usr/bin/env bash
# demo.sbatch as a job of a real SLURM on this machine, and a look at whether both nodes took part.
#
#   pipelines/slurm/run-demo.sh [PIPELINE]
#
# Starts the two-node SLURM of local-slurm.sh, submits the job, shows its output while it runs, and
# stops SLURM again. The results are made anew, in work/slurm-<name of the pipeline>. The exit
# status is the job's; 77 means that there can be no SLURM here.
set -euo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$home/pipelines/slurm
pipeline=$(realpath "${1:-$home/pipelines/demo.yaml}")
name=$(basename "$pipeline" .yaml)
output=$home/work/slurm-$name
log=$output/job.out
nodes=(n1 n2)

SLURM_CONF=$("$here/local-slurm.sh" start)
export SLURM_CONF
copy=
# shellcheck disable=SC2317  # the trap below calls it
finish() {
  local status=$?
  trap - EXIT
  "$here/local-slurm.sh" stop
  [[ -z $copy ]] || rm -f "$copy"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# A corpus that exists already would leave the job nothing to do, so this one goes elsewhere. The
# copy lies beside the original, because paths in it are relative to it.
rm -rf "$output"
mkdir -p "$output"
copy=$(mktemp "$(dirname "$pipeline")/.$name-XXXXXX.yaml")
sed "s|^output:.*|output: $output|" "$pipeline" >"$copy"

cd "$home" # demo.sbatch is submitted from here
export CORPUSFORGE_RUN_FOLDER=$output/allocation
began=$SECONDS
echo "sbatch pipelines/slurm/demo.sbatch, with $pipeline"
touch "$log"
job=$(sbatch --parsable --output="$log" "$here/demo.sbatch" "$copy")
# `sbatch --wait` looks every ten seconds only.
while [[ -n $(squeue --noheader --job "$job") ]]; do
  sleep 0.3
done &
waiting=$!
tail --pid="$waiting" --sleep-interval=0.3 -n +1 -f "$log"
state=$(scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
status=$(scontrol show job "$job" | sed -n 's/.* ExitCode=\([0-9]*\).*/\1/p')
echo "job $job: $state, status $status, $((SECONDS - began)) s after sbatch"
if [[ $state != COMPLETED ]]; then
  exit $((status ? status : 1))
fi
status=0

# Every finished task has left a receipt that names its node; fetch is the driver's own work.
for node in "${nodes[@]}"; do
  tasks=$(grep --recursive --files-with-matches --include='*.json' --exclude-dir='fetch-*' \
    "\"worker\":\"$node:" "$output" | wc -l)
  ranks=$(sed -n "s/^ranks .*\b$node: \([0-9]*\).*/\1/p" "$log" | tail -n 1)
  echo "$node: tasks of the data stages: $tasks, ranks of training: ${ranks:-0}"
  if ((tasks == 0 || ${ranks:-0} == 0)); then
    echo "error: $node took no part; the job's output is $log" >&2
    status=1
  fi
done
exit "$status"
