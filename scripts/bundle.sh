#!/bin/sh
# Bundles the product into dist/: what `npm pack` ships beside Bun and ripgrep. Parts that load when used stay apart.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
sh scripts/setup.sh
rm -rf dist
sh scripts/bun.sh build src/cli/main.ts --target=bun --splitting --minify-syntax --minify-whitespace --outdir dist --external @vscode/ripgrep
