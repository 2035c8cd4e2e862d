#!/bin/sh
# Bundles the product into dist/ (or the folder given): what `npm pack` ships beside Bun and ripgrep.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
sh scripts/setup.sh
out=${1:-dist}
rm -rf "$out"
sh scripts/bun.sh scripts/bundle.ts "$out"
