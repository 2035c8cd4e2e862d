#!/bin/sh
# Bundles the product into dist/ (or the folder given): what `npm pack` ships beside Bun and ripgrep. Parts that load when
# used stay apart.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
sh scripts/setup.sh
out=${1:-dist}
rm -rf "$out"
sh scripts/bun.sh build src/cli/main.ts --target=bun --splitting --minify-syntax --minify-whitespace --outdir "$out" --external @vscode/ripgrep
