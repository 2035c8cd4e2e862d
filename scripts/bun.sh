#!/bin/sh
# Runs Bun of this checkout, wherever the install put it.
root=$(cd "$(dirname "$0")/.." && pwd -P)
for candidate in "$root"/node_modules/@oven/bun-*/bin/bun "$root/node_modules/bun/bin/bun.exe"; do
  [ -x "$candidate" ] && exec "$candidate" "$@"
done
echo "no Bun in node_modules: run npm ci" >&2
exit 3
