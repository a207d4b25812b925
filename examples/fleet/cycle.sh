#!/bin/sh
# The cycle clean, bootstrap, reconcile, validate on a table of clusters: all clusters of the table are
# deleted and created again, and compared with it.
# Usage: examples/fleet/cycle.sh [DATABASE]
set -eu
here=$(dirname "$0")
database=${1:-clusters.db}
ovi=${OVI:-ovi}
log=${LOG:-$database.log}

all() { # declare every cluster but the management cluster present or absent
	sqlite3 -cmd ".timeout 5000" "$database" "UPDATE clusters SET desired_state = '$1' WHERE name <> 'devops'"
}

step() { printf '\n== %s\n' "$1"; }

step bootstrap
command -v sqlite3 >/dev/null || { echo "error: sqlite3 is missing; on Debian: apt-get install sqlite3" >&2; exit 1; }
sqlite3 -cmd ".timeout 5000" "$database" <"$here/clusters.sql"

step clean
all absent
"$ovi" cluster reconcile --from-db --log-file "$log" "$database"

step reconcile
all present
"$ovi" cluster reconcile --from-db --require kind=3,k3d=3 --log-file "$log" "$database"

step validate
"$ovi" cluster verify --json-summary "$database"
"$ovi" cluster consistency "$database"
