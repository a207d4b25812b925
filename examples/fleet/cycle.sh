#!/bin/sh
# The cycle clean, bootstrap, reconcile, validate on a table of clusters: all clusters of the table are
# deleted and created again, and compared with it. With settings beside the table, management.sh runs first. A
# condensed summary is appended to REPORT, if its folder exists.
# Usage: examples/fleet/cycle.sh [DATABASE]
set -eu
here=$(dirname "$0")
database=${1:-clusters.db}
ovi=${OVI:-ovi}
log=${LOG:-$database.log}
report=${REPORT:-docs/TEST_REPORT.md}
require=${REQUIRE:-kind=3,k3d=3}

all() { # declare every cluster but the management cluster present or absent
	sqlite3 -cmd ".timeout 5000" "$database" "UPDATE clusters SET desired_state = '$1' WHERE name <> 'devops'"
}

[ ! -s "$database.yaml" ] || [ -n "${MANAGED:-}" ] || "$here/management.sh" # MANAGED: the management cluster is another one

step() { printf '\n== %s\n' "$1"; }

command -v sqlite3 >/dev/null || { echo "error: sqlite3 is missing; on Debian: apt-get install sqlite3" >&2; exit 1; }
[ -d "$(dirname "$report")" ] || report=

if [ -s "$database" ]; then
	step clean
	all absent
	"$ovi" cluster reconcile --from-db --log-file "$log" "$database"
fi

step bootstrap
sqlite3 -cmd ".timeout 5000" "$database" <"$here/clusters.sql"
all present

step reconcile
"$ovi" cluster reconcile --from-db --require "$require" --log-file "$log" --report "$report" "$database"
grep -q '^RECONCILE_SUMMARY=' "$log" || { echo "error: $log has no summary of a run" >&2; exit 1; }

step validate
"$ovi" cluster verify --json-summary "$database"
"$ovi" cluster consistency "$database"
