#!/bin/sh
# Types, lint and format.
set -u
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root" || exit 1
sh scripts/setup.sh || exit 1
node_modules/.bin/tsc && node_modules/.bin/biome check .
