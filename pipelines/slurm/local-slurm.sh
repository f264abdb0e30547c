#!/usr/bin/env bash
# A real SLURM with two nodes on this machine, to try job scripts on.
#
#   pipelines/slurm/local-slurm.sh start      prints the SLURM_CONF to use
#   pipelines/slurm/local-slurm.sh stop
#
# One slurmctld, two slurmd (n1 and n2, which share the machine's cores) and a munged with a key of
# its own, all in one folder: CORPUSFORGE_SLURM, or work/slurm of this repository. A SLURM of the
# system and its settings are left alone. Starting twice is one start.
#
# Missing programs are installed with apt-get where this is root. Exit status 77: not possible here,
# and the message says why.
set -euo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${CORPUSFORGE_SLURM:-$home/work/slurm}
programs=(munged mungekey slurmctld slurmd sinfo scontrol sbatch srun)
nodes=(n1 n2)
port=26817 # of slurmctld; the nodes have the next ones
PATH=$PATH:/usr/sbin:/sbin
export SLURM_CONF=$folder/slurm.conf

cannot() {
  echo "no SLURM here: $*" >&2
  exit 77
}

missing_programs() {
  local program
  for program in "${programs[@]}"; do
    command -v "$program" >/dev/null || echo "$program"
  done
}

install_missing() {
  local missing
  missing=$(missing_programs | paste -sd ' ')
  [[ -n $missing ]] || return 0
  ((EUID == 0)) || cannot "missing: $missing; only root can install them (slurm-wlm, munge)"
  command -v apt-get >/dev/null || cannot "missing: $missing; and there is no apt-get to install them with"
  echo "installing slurm-wlm and munge (missing: $missing)" >&2
  # Debian starts a munged of the system on installing; nobody here needs it.
  local policy=/usr/sbin/policy-rc.d had_policy=yes
  if [[ ! -e $policy ]]; then
    had_policy=
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  mkdir -p "$folder"
  local status=0
  {
    timeout 120 apt-get update &&
      DEBIAN_FRONTEND=noninteractive timeout 300 \
        apt-get install --yes --no-install-recommends slurm-wlm munge
  } >"$folder/apt.log" 2>&1 </dev/null || status=$?
  [[ -n $had_policy ]] || rm -f "$policy"
  if ((status != 0)) || [[ -n $(missing_programs) ]]; then
    cannot "apt-get did not install slurm-wlm and munge; its log is $folder/apt.log"
  fi
}

write_settings() {
  local host cores memory node number=0
  host=$(hostname -s)
  cores=$(($(nproc) / ${#nodes[@]}))
  cores=$((cores < 1 ? 1 : cores > 4 ? 4 : cores))
  memory=$(awk -v nodes=${#nodes[@]} '/^MemTotal/ {print int($2 / 1024 / nodes)}' /proc/meminfo)
  {
    cat <<EOF
ClusterName=corpusforge
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdSpoolDir=$folder/%n
SlurmdPidFile=$folder/%n.pid
SlurmdLogFile=$folder/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1
MpiDefault=none
ReturnToService=2
KillWait=10
MinJobAge=60
EOF
    for node in "${nodes[@]}"; do
      number=$((number + 1))
      echo "NodeName=$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + number))" \
        "CPUs=$cores RealMemory=$memory"
    done
    echo "PartitionName=local Nodes=$(paste -sd , <<<"$(printf '%s\n' "${nodes[@]}")") Default=YES MaxTime=60"
  } >"$SLURM_CONF"
}

runs() { # NAME PROGRAM: whether the daemon with this pid file is alive, and not a stranger
  local pid
  pid=$(cat "$folder/$1.pid" 2>/dev/null) || return 1
  [[ $(cat "/proc/$pid/comm" 2>/dev/null) == "$2" ]]
}

idle_nodes() {
  sinfo --noheader --Node --states=idle --format=%N 2>/dev/null | sort -u | wc -l
}

start() {
  install_missing
  ((${#folder} < 80)) || cannot "$folder is too long for sockets in it; set CORPUSFORGE_SLURM"
  if runs slurmctld slurmctld && runs munged munged && runs n1 slurmd && runs n2 slurmd; then
    echo "$SLURM_CONF"
    return
  fi
  stop
  mkdir -p "$folder"
  chmod 711 "$folder"
  rm -rf "${folder:?}"/{state,n1,n2,munge.key,munge.socket,*.pid,*.log}
  mkdir "$folder/state" "${nodes[@]/#/$folder/}"
  write_settings
  mungekey --create --keyfile="$folder/munge.key"
  # --force: the folder may lie below one that others can write to
  munged --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" \
    --pid-file="$folder/munged.pid" --seed-file="$folder/munged.seed" \
    --log-file="$folder/munged.log" 2>"$folder/munged.err" || failed munged.err
  slurmctld -f "$SLURM_CONF" >"$folder/slurmctld.log" 2>&1 || failed slurmctld.log
  local node
  for node in "${nodes[@]}"; do
    slurmd -f "$SLURM_CONF" -N "$node" >"$folder/$node.log" 2>&1 || failed "$node.log"
  done
  local deadline=$((SECONDS + 30))
  until (($(idle_nodes) == ${#nodes[@]})); do
    ((SECONDS < deadline)) || failed slurmctld.log
    sleep 0.2
  done
  echo "$SLURM_CONF"
}

failed() { # LOG
  echo "SLURM did not start; $folder/$1 ends so:" >&2
  tail -n 15 "$folder/$1" >&2
  stop
  exit 1
}

stop() {
  if runs slurmctld slurmctld; then
    scancel --user="$(id -un)" 2>/dev/null || true
    local deadline=$((SECONDS + 20))
    until [[ -z $(squeue --noheader 2>/dev/null) ]] || ((SECONDS >= deadline)); do
      sleep 0.2
    done
  fi
  signal_all TERM || return 0
  local deadline=$((SECONDS + 10))
  while signal_all 0 && ((SECONDS < deadline)); do
    sleep 0.1
  done
  signal_all KILL || true
}

signal_all() { # SIGNAL: to every daemon of this folder; false if none is left
  local found=1 daemon
  for daemon in "n1 slurmd" "n2 slurmd" "slurmctld slurmctld" "munged munged"; do
    # shellcheck disable=SC2086  # two words
    if runs $daemon && kill -"$1" "$(cat "$folder/${daemon% *}.pid")" 2>/dev/null; then
      found=0
    fi
  done
  return "$found"
}

case ${1:-} in
start) start ;;
stop) stop ;;
*)
  echo "usage: local-slurm.sh start|stop" >&2
  exit 2
  ;;
esac
