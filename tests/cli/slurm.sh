#!/usr/bin/env bash
# slurm.sh LIMBER: a batch on a cluster of three nodes, all of them on this machine. One node dies in the middle; in the
# end every output is there and the same, byte for byte, as after a batch without a cluster. Needs root and Debian's
# slurm-wlm and munge; skipped (77) without.
set -euo pipefail
limber=$(realpath "$1")
for program in munged slurmctld slurmd sbatch squeue sinfo scontrol; do
    command -v $program >/dev/null || [ -x /usr/sbin/$program ] || { echo "skipped: there is no $program (Debian: slurm-wlm, munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: the daemons of Slurm need root"; exit 77; }
export PATH=$PATH:/usr/sbin

# Short: the socket of munge has a name of at most 108 characters.
home=$(mktemp -d /tmp/limber-slurm-XXXXXX)
export SLURM_CONF=$home/slurm.conf
daemons=()

# The processes of a node: its slurmd, and all below the sessions that it started.
end_all() {
    scancel --full --user root 2>/dev/null || true
    sleep 1
    for pid in "${daemons[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
    rm -rf "$home"
}
trap end_all EXIT

port() { # a free one
    python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'
}

until_true() { # for minutes: machines are slow
    for _ in $(seq 1200); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.5
    done
    echo "never came true: $*"
    tail -n 20 "$home"/*.log
    exit 1
}

start_munge() {
    mkdir -p "$home/munge"
    chmod 755 "$home"
    chmod 700 "$home/munge"
    head -c 1024 /dev/urandom >"$home/munge/key"
    chmod 400 "$home/munge/key"
    munged --foreground --force --key-file="$home/munge/key" --socket="$home/munge.socket" \
        --pid-file="$home/munge/pid" --log-file="$home/munge/log" --seed-file="$home/munge/seed" >"$home/munged.log" 2>&1 &
    daemons+=($!)
    until_true test -S "$home/munge.socket"
}

configure() {
    local host
    host=$(hostname -s)
    mkdir -p "$home/state"
    cat >"$SLURM_CONF" <<TEXT
ClusterName=limber
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$home/munge.socket
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation=$home/state
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.%n.pid
SlurmdSpoolDir=$home/spool.%n
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd.%n.log
SlurmctldTimeout=10
SlurmdTimeout=10
KillWait=2
ReturnToService=0
SchedulerType=sched/builtin
JobRequeue=1
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(port) CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(port) CPUs=1 State=UNKNOWN
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(port) CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2,n3 Default=YES MaxTime=INFINITE State=UP
TEXT
}

start_slurm() {
    slurmctld -D >"$home/slurmctld.out" 2>&1 &
    daemons+=($!)
    for node in n1 n2 n3; do
        mkdir -p "$home/spool.$node"
        slurmd -D -N $node >"$home/slurmd.$node.out" 2>&1 &
        daemons+=($!)
        eval "slurmd_$node=$!"
    done
    until_true sh -c 'test "$(sinfo -h -N -t idle | wc -l)" = 3'
}

# Power off: the daemon and every process of the tasks that run there. A session's name has the node in it.
kill_node() { # name, pid of its slurmd
    local steps step
    kill -9 "$2"
    steps=$(pgrep -f "^slurmstepd: .*" || true)
    for step in $steps; do
        grep -qzx "SLURMD_NODENAME=$1" "/proc/$step/environ" 2>/dev/null || tasks_of "$step" | grep -qx "$1" || continue
        kill_tree "$step"
    done
}

tasks_of() { # pid: the nodes that its children believe to be on
    for child in $(pgrep -P "$1"); do tr '\0' '\n' <"/proc/$child/environ" 2>/dev/null | sed -n 's/^SLURMD_NODENAME=//p'; done
}

kill_tree() {
    local child
    kill -STOP "$1" 2>/dev/null || true
    for child in $(pgrep -P "$1"); do kill_tree "$child"; done
    kill -9 "$1" 2>/dev/null || true
}

make_characters() {
    mkdir -p "$home/in"
    "$limber" sample cylinder -o "$home/in/first.glb"
    for i in $(seq 24); do cp "$home/in/first.glb" "$home/in/c$i.glb"; done
    head -c 900 "$home/in/first.glb" >"$home/in/damaged.glb"
    cat >"$home/jobs.json" <<TEXT
{"inputs": ["in/*.glb"], "styles": ["cartoon", "jelly"], "options": {"bake": "corrective"}, "output": "{style}/{name}.glb"}
TEXT
}

count_done() { find "$home/out" -name '*.glb' 2>/dev/null | wc -l; }
some_done() { [ "$(count_done)" -ge 4 ]; }
runs_on() { squeue -h -t running -w "$1" | grep -q .; }
array_ended() { [ -z "$(squeue -h)" ]; }
node_is_down() { sinfo -h -N -n "$1" -o %T | grep -q '^down'; }

make_characters
start_munge
configure
start_slurm
cd "$home"

"$limber" batch jobs.json -o local --quiet && { echo "the damaged file went through"; exit 1; }
"$limber" batch jobs.json -o out --slurm --tasks 10
"$limber" batch -o out --status
until_true some_done
if "$limber" batch jobs.json -o out --slurm 2>again.txt; then echo "submitted twice"; exit 1; fi
grep -q "still works on job" again.txt || array_ended
until_true runs_on n2
kill_node n2 "$slurmd_n2"
echo "node n2 is gone, with $(count_done) outputs done"
until_true node_is_down n2
"$limber" batch -o out --status
until_true array_ended
"$limber" batch -o out --status | tee status.txt
grep -q "52 jobs: 50 done, 2 failed, 0 running, 0 waiting" status.txt
"$limber" batch -o out --collect >collected.txt 2>&1 && { echo "collect did not see the damaged file"; exit 1; }
cat collected.txt
grep -q "2 jobs failed, 0 have no output" collected.txt
diff -r -x .limber -x limber-batch.json local out

# What failed can be put right: only that is submitted again.
cp in/first.glb in/damaged.glb
"$limber" batch jobs.json -o out --slurm 2>&1 | tee again.txt
grep -q "2 of 52 jobs" again.txt
until_true array_ended
"$limber" batch -o out --collect --quiet
cmp out/jelly/damaged.glb out/jelly/first.glb
"$limber" batch jobs.json -o out --slurm 2>&1 | grep -q "all 52 outputs are up to date"
echo "done: a batch on three nodes, one of which died"
