#!/bin/sh
# All tests: unit, contract and people tests in one process, then the few on a real pseudo-terminal in another, so that a
# native crash there cannot hide the rest. Reports lie in .reports/; the last line is "N passed, N failed, N skipped".
set -u
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root" || exit 1
sh scripts/setup.sh || exit 1
if [ $# -gt 0 ]; then exec sh scripts/bun.sh test --timeout 60000 "$@"; fi
rm -rf .reports && mkdir -p .reports
status=0
sh scripts/bun.sh test ./src ./test/layers.test.ts ./test/claims.test.ts ./test/contracts ./test/people ./test/proof ./test/support --timeout 30000 --reporter=junit --reporter-outfile=.reports/unit.xml || status=1
sh scripts/bun.sh test ./test/pty --timeout 60000 --reporter=junit --reporter-outfile=.reports/pty.xml || status=1
sh scripts/bun.sh scripts/summary.ts .reports/unit.xml .reports/pty.xml || status=1
exit $status
