#!/bin/sh
# Makes sure that what `make test` needs is here: Go, a C compiler for the race detector, and
# for the tests that cut power, drop packets, inject faults and run containers (as root on Linux) mkfs, ip,
# strace and Podman, and for those that mount a share bindfs and sshfs; for clusters HAProxy, and for the example of a
# fleet sqlite3, kubectl and shellcheck.
# As root on Debian it installs what is missing; elsewhere it says what to install.
set -eu

missing=""
command -v go >/dev/null 2>&1 || missing="$missing golang-go"
command -v gcc >/dev/null 2>&1 || missing="$missing gcc libc6-dev"
command -v git >/dev/null 2>&1 || missing="$missing git ca-certificates"
if [ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	command -v mkfs.ext4 >/dev/null 2>&1 || missing="$missing e2fsprogs"
	command -v mkfs.xfs >/dev/null 2>&1 || missing="$missing xfsprogs"
	command -v mount >/dev/null 2>&1 || missing="$missing mount"
	command -v ip >/dev/null 2>&1 || missing="$missing iproute2"
	command -v strace >/dev/null 2>&1 || missing="$missing strace"
	PATH=$PATH:/usr/sbin
	command -v podman >/dev/null 2>&1 || missing="$missing podman netavark aardvark-dns"
	command -v runc >/dev/null 2>&1 || missing="$missing runc"
	command -v iptables >/dev/null 2>&1 || missing="$missing iptables"
	command -v catatonit >/dev/null 2>&1 || missing="$missing catatonit"
	command -v ssh >/dev/null 2>&1 || missing="$missing openssh-client"
	command -v sshd >/dev/null 2>&1 || missing="$missing openssh-server"
	command -v haproxy >/dev/null 2>&1 || missing="$missing haproxy"
	command -v sqlite3 >/dev/null 2>&1 || missing="$missing sqlite3"
	command -v shellcheck >/dev/null 2>&1 || missing="$missing shellcheck"
	command -v kubectl >/dev/null 2>&1 || missing="$missing kubernetes-client"
	command -v bindfs >/dev/null 2>&1 || missing="$missing bindfs"
	command -v sshfs >/dev/null 2>&1 || missing="$missing sshfs"
	command -v busybox >/dev/null 2>&1 || missing="$missing busybox-static"
fi
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	apt-get update -qq
	# shellcheck disable=SC2086 # several packages
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
	exit 0
fi
echo "error: missing:$missing" >&2
echo "  next: install them (as root on Debian: apt-get install$missing), then run this again" >&2
echo "        Go must be 1.21 or newer: it fetches the version that go.mod names by itself" >&2
exit 1
