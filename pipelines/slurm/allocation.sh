#!/usr/bin/env bash
# One allocation, from papers to a model: scheduler, workers, data stages, then MPI training.
#
#   pipelines/slurm/allocation.sh PIPELINE
#
# Inside a SLURM allocation everything is started with srun, inside an LSF allocation with jsrun, on
# all of its nodes. Elsewhere the same steps run as plain processes of this machine, as if it were
# two nodes. demo.sbatch and frontier.sbatch submit this to SLURM, ../lsf/summit.bsub to LSF.
#
# SIGUSR1, SIGTERM or Ctrl-C stop it at the next task or training step. The exit status is then 75,
# and the same command continues. SIGUSR1 means that the time is nearly up: the job puts itself back
# into SLURM's queue; LSF does the same on seeing status 75. It does not after SIGTERM, which
# scancel sends.
#
# Settings, all optional:
#   VENV                          virtual environment (default: .venv of this repository; where
#                                 there is none, the commands on PATH)
#   CORPUSFORGE_CORES_PER_NODE    cores to use (default: those of the allocation; 42 with LSF)
#   CORPUSFORGE_WORKERS_PER_NODE  Dask workers, one core each (default: the node's cores, with LSF
#                                 but one, which the scheduler takes; 1 on a plain machine)
#   CORPUSFORGE_WORKER_MEMORY     limit of each, such as 4GB (default: its part of the allocation)
#   CORPUSFORGE_RANKS_PER_NODE    MPI ranks (default: one per GPU, or one that uses all cores; 6
#                                 with LSF)
#   CORPUSFORGE_MPI               what srun speaks with MPI (default: pmi2; `srun --mpi=list`)
#   CORPUSFORGE_RANK_OPTIONS      more options of srun or jsrun for the training alone, such as
#                                 "--gpus-per-task=1 --gpu-bind=closest"
#   CORPUSFORGE_INTERFACE         network of the Dask cluster, such as ib0 or hsn0
#   CORPUSFORGE_RUN_FOLDER        scheduler file and logs; all nodes must see it (default:
#                                 work/allocation of this repository)
# shellcheck disable=SC2317  # some functions are called by traps only
set -euo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
pipeline=${1:?usage: allocation.sh PIPELINE}
venv=${VENV:-$home/.venv}
if [[ -x $venv/bin/corpusforge ]]; then
  PATH=$(cd "$venv" && pwd)/bin:$PATH
fi

run_id=${SLURM_JOB_ID:-${LSB_JOBID:-plain-$$}}
folder=${CORPUSFORGE_RUN_FOLDER:-$home/work/allocation}/$run_id
scheduler_file=$folder/scheduler.json
interface=()
if [[ -n ${CORPUSFORGE_INTERFACE:-} ]]; then
  interface=(--interface "$CORPUSFORGE_INTERFACE")
fi

# Everything has a session of its own: Ctrl-C then reaches this script alone, which stops the
# pipeline in order instead of pulling the scheduler from under it.
if [[ -n ${SLURM_JOB_ID:-} ]]; then
  nodes=$SLURM_JOB_NUM_NODES
  cores=${CORPUSFORGE_CORES_PER_NODE:-${SLURM_CPUS_ON_NODE:-1}}
  workers_per_node=${CORPUSFORGE_WORKERS_PER_NODE:-$cores}
  ranks_per_node=${CORPUSFORGE_RANKS_PER_NODE:-${SLURM_GPUS_ON_NODE:-1}}
  # These steps share the nodes; a step that kept its cores for itself would block the next.
  step=(setsid srun --overlap --mpi=none)
  on_one_node=("${step[@]}" --nodes=1 --ntasks=1)
  # A task that dies, with its node perhaps, must not take the others with it.
  on_each_node=("${step[@]}" --nodes="$nodes" --ntasks-per-node=1 --cpus-per-task="$cores"
    --kill-on-bad-exit=0)
  threads=$((cores > ranks_per_node ? cores / ranks_per_node : 1))
  launcher=(--launcher "srun --mpi=${CORPUSFORGE_MPI:-pmi2} --nodes=$nodes \
--ntasks-per-node=$ranks_per_node --cpus-per-task=$threads ${CORPUSFORGE_RANK_OPTIONS:-}")
elif [[ -n ${LSB_JOBID:-} ]]; then
  # The first host of the file is the one on which this script runs, and not for computing.
  nodes=$(awk 'NR == 1 {mine = $1} $1 != mine' "$LSB_DJOB_HOSTFILE" | sort -u | wc -l)
  cores=${CORPUSFORGE_CORES_PER_NODE:-42}
  workers_per_node=${CORPUSFORGE_WORKERS_PER_NODE:-$((cores - 1))}
  ranks_per_node=${CORPUSFORGE_RANKS_PER_NODE:-6}
  # Dask is no MPI program: without smpiargs=off jsrun would prepare it to be one.
  step=(setsid jsrun --smpiargs=off --tasks_per_rs=1 --gpu_per_rs=0 --bind=none)
  on_one_node=("${step[@]}" --nrs=1 --cpu_per_rs=1)
  on_each_node=("${step[@]}" --nrs="$nodes" --rs_per_host=1 --cpu_per_rs=$((cores - 1)))
  threads=$((cores > ranks_per_node ? cores / ranks_per_node : 1))
  launcher=(--launcher "jsrun --nrs=$((nodes * ranks_per_node)) --rs_per_host=$ranks_per_node \
--tasks_per_rs=1 --cpu_per_rs=$threads --gpu_per_rs=1 --bind=packed:$threads \
${CORPUSFORGE_RANK_OPTIONS:-}")
else
  nodes=2
  workers_per_node=${CORPUSFORGE_WORKERS_PER_NODE:-1}
  # Should this script be killed, its services end with it.
  on_one_node=(setsid setpriv --pdeathsig TERM)
  on_each_node=("${on_one_node[@]}")
  launcher=()
fi

worker_memory() {
  if [[ -n ${CORPUSFORGE_WORKER_MEMORY:-} ]]; then
    echo "$CORPUSFORGE_WORKER_MEMORY"
  elif ((${SLURM_MEM_PER_NODE:-0} > 0)); then
    echo "$((SLURM_MEM_PER_NODE * 95 / 100 / workers_per_node))MiB"
  elif ((${SLURM_MEM_PER_CPU:-0} > 0)); then
    echo "$((SLURM_MEM_PER_CPU * cores * 95 / 100 / workers_per_node))MiB"
  else
    echo auto # a part of the machine's memory
  fi
}

say() {
  printf '[%3d s] %s\n' "$SECONDS" "$*"
}

parts=() # what took how long
part=
begun=0
begin() { # NAME: what runs from here on, until the next one
  if [[ -n $part ]]; then
    parts+=("$part $((SECONDS - begun)) s")
  fi
  part=$1
  begun=$SECONDS
  [[ -z $part ]] || say "== $part"
}

wall_times() {
  ((${#parts[@]} == 0)) || printf '%s, ' "${parts[@]}"
  echo "$SECONDS s in all"
}

services=() # process ids of the scheduler and of what started the workers
child=      # the command that is running
asked=      # the signal that asked this script to stop
interrupted=

stop_requested() { # SIGNAL
  asked=${asked:-$1}
  interrupted=yes
  if [[ -n $child ]]; then
    kill -USR1 "$child" 2>/dev/null || true
  fi
}
for signal in USR1 TERM INT; do
  # shellcheck disable=SC2064  # the name of now
  trap "stop_requested $signal" "$signal"
done
trap finish EXIT

# Run a command to its end, passing a request to stop on to it. bash runs traps only between
# commands, so the command is waited for instead of called.
run() {
  [[ -z $asked ]] || return 75
  setsid "$@" &
  child=$!
  [[ -z $asked ]] || kill -USR1 "$child" # asked just before `child` was set
  local status
  while :; do
    interrupted=
    status=0
    wait "$child" || status=$?
    [[ -n $interrupted ]] || break
  done
  child=
  return "$status"
}

start_service() { # NAME COMMAND...
  local name=$1
  shift
  # LSF signals every process of a job when its time is nearly up; these are not to end by it.
  (
    trap '' USR1
    exec "$@"
  ) >>"$folder/$name.log" 2>&1 &
  services+=($!)
}

start_cluster() {
  mkdir -p "$folder"
  rm -f "$scheduler_file" # of this job before it was requeued
  python -m corpusforge.executors.allocation settings >"$folder/dask.yaml"
  export DASK_CONFIG=$folder/dask.yaml
  start_service scheduler "${on_one_node[@]}" dask scheduler --scheduler-file "$scheduler_file" \
    --port 0 --dashboard-address :0 "${interface[@]}"
  until [[ -s $scheduler_file ]]; do
    if ! kill -0 "${services[0]}" 2>/dev/null || ((SECONDS > 120)); then
      tail -n 20 "$folder/scheduler.log" >&2
      say "error: the Dask scheduler did not start; its log is $folder/scheduler.log" >&2
      return 1
    fi
    [[ -z $asked ]] || return 75
    sleep 0.2
  done
  local worker=(dask worker --scheduler-file "$scheduler_file" --nworkers "$workers_per_node"
    --nthreads 1 --memory-limit "$(worker_memory)" --death-timeout 60 --no-dashboard
    "${interface[@]}")
  if [[ -n ${SLURM_JOB_ID:-}${LSB_JOBID:-} ]]; then
    start_service workers "${on_each_node[@]}" "${worker[@]}"
  else
    for ((node = 1; node <= nodes; node++)); do
      start_service "workers-$node" "${on_each_node[@]}" "${worker[@]}"
    done
  fi
  run python -m corpusforge.executors.allocation wait "$scheduler_file" \
    $((nodes * workers_per_node))
}

# End scheduler and workers: by asking them, and by force where that does not help.
stop_cluster() {
  ((${#services[@]})) || return 0
  local pid status statuses=()
  python -m corpusforge.executors.allocation shutdown "$scheduler_file" 2>>"$folder/shutdown.log" ||
    kill -TERM "${services[@]}" 2>/dev/null || true
  for pid in "${services[@]}"; do
    ends_within 30 "$pid" || kill -TERM -- "-$pid" 2>/dev/null || true
    ends_within 10 "$pid" || kill -KILL -- "-$pid" 2>/dev/null || true
    status=0
    wait "$pid" || status=$?
    statuses+=("$status")
  done
  services=()
  say "scheduler and workers ended with status ${statuses[*]}; logs in $folder"
}

ends_within() { # SECONDS PID
  local deadline=$((SECONDS + $1))
  while kill -0 "$2" 2>/dev/null; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

finish() {
  local status=$?
  trap '' USR1 TERM INT # being stopped twice must not leave anything behind
  stop_cluster
  begin ""
  if ((status)) && [[ -n $asked ]]; then
    status=75
  fi
  if ((status == 75)); then
    say "stopped on request; the same command continues ($(wall_times))"
    if [[ -n ${SLURM_JOB_ID:-} && $asked != TERM && $asked != INT ]]; then
      scontrol requeue "$SLURM_JOB_ID" || say "the job could not be requeued; submit it again"
    fi
  else
    say "ended with status $status ($(wall_times))"
  fi
  exit "$status"
}

# One function: bash then has read the whole script before it starts, and editing the file does not
# disturb jobs that run for hours.
main() {
  if [[ -n ${SLURM_JOB_ID:-} ]]; then
    say "job $SLURM_JOB_ID on $nodes nodes: $(scontrol show hostnames | paste -sd ' ')"
  elif [[ -n ${LSB_JOBID:-} ]]; then
    say "job $LSB_JOBID on $nodes nodes: $(sort -u "$LSB_DJOB_HOSTFILE" | paste -sd ' ')"
  else
    say "no SLURM: plain processes on $(hostname)"
  fi
  local pending # a wrong pipeline file ends the job here
  pending=$(python -m corpusforge.executors.allocation pending "$pipeline")
  if [[ -n $pending ]]; then
    begin "Dask cluster"
    start_cluster
    begin "data stages"
    run corpusforge run "$pipeline" --scheduler-file "$scheduler_file"
    stop_cluster
  else
    say "the data stages are complete"
  fi
  begin "training"
  if [[ -n ${threads:-} ]]; then
    # A rank need not be bound to its cores; without a word each would take all it sees.
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$threads}
  fi
  run corpusforge train "$pipeline" "${launcher[@]}"
  # Launchers may call a job a success of which a rank ended early, but quietly.
  python -m corpusforge.executors.allocation trained "$pipeline"
}

main
exit
