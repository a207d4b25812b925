#!/bin/bash
# Counts the calls of `ovi run` for the first 1,000 resources of a stack, and those of ten intervals at rest. Usage:
# calls.sh OVI DIR, where DIR is a folder that does not exist. The sandbox answers; the interval of the loop is 10 s.
set -eu
ovi=$1 dir=$2
mkdir "$dir"
cd "$dir"
mkdir site
cd site
export XDG_STATE_HOME=$dir/state USER=ada
cat >ovi.yaml <<Y
version: v1
stack: one
provider: aws
region: us-east-1
resources:
  - {type: vpc, name: net, cidr: 10.0.0.0/16}
  - {type: subnet, name: net, vpc: net, cidr: 10.0.0.0/20}
  - {type: ec2, name: web, size: t3.micro, count: 600}
  - {type: log_group, name: log, retention_days: 7, count: 398}
Y
"$ovi" run --sandbox --auto-approve --interval 10s >"$dir/run.log" 2>&1 &
pid=$!
trap 'kill -9 $pid' EXIT
count() { # FLAG: none, or --changes
	"$ovi" sandbox requests $1 2>/dev/null | awk 'NR > 1 { gsub(",", "", $2); n += $2 } END { print n + 0 }'
}
finished() { "$ovi" audit log --type finished 2>/dev/null | grep -c finished || true; }
begin=$(date +%s)
until [ "$(finished)" -ge 1000 ]; do sleep 1; done
echo "1,000 resources after $(($(date +%s) - begin)) s"
sleep 15 # what observes the last of them has ended
writes=$(count --changes) all=$(count '')
echo "first apply: $writes changes, $((all - writes)) reads"
"$ovi" sandbox requests >"$dir/first.txt"
sleep 100
echo "ten intervals at rest: $(($(count --changes) - writes)) changes, $(($(count '') - all)) calls"
"$ovi" sandbox requests >"$dir/rest.txt"
