#!/bin/bash
# Measures how long a commit and a drift wait for an action that takes three minutes: a call of 60 s, and 120 s until the
# instance runs. Usage: run.sh OVI DIR, where DIR is a folder that does not exist. The sandbox answers; the interval
# of the loop is 5 s.
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
  - {type: ec2, name: web-0, size: t3.micro}
Y
OVI_SANDBOX_SETTLE=0s "$ovi" apply --sandbox --auto-approve --quiet
echo '  - {type: ec2, name: slow, size: t3.micro}' >>ovi.yaml
OVI_SANDBOX_SETTLE=120s OVI_SANDBOX_FAULTS='[{"kind":"slow","action":"RunInstances","delay_ms":60000,"times":1}]' \
	"$ovi" run --sandbox --auto-approve --interval 5s >"$dir/run.log" 2>&1 &
pid=$!
trap 'kill -9 $pid' EXIT
started() { "$ovi" audit log --type started 2>/dev/null | grep -c "$1" || true; }
until [ "$(started ec2/slow)" -gt 0 ]; do sleep 0.1; done
sleep 3
begin=$(date +%s.%N)
echo '  - {type: vpc, name: net, cidr: 10.0.0.0/16}' >>ovi.yaml
OVI_SANDBOX_SETTLE=0s "$ovi" sandbox break stop ec2/web-0 >/dev/null
commit='' drift=''
until [ -n "$commit" ] && [ -n "$drift" ]; do
	[ -n "$commit" ] || [ "$(started vpc/net)" -lt 1 ] || commit=$(date +%s.%N)
	[ -n "$drift" ] || [ "$(started ec2/web-0)" -lt 2 ] || drift=$(date +%s.%N)
	sleep 0.1
done
echo "from a commit to its action: $(echo "$commit - $begin" | bc) s; from a drift: $(echo "$drift - $begin" | bc) s"
