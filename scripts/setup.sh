#!/bin/sh
# Installs the pinned packages of a checkout, once, also when two programs ask at the same time.
set -u
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root" || exit 1
ready() { [ -f node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ]; }
ready && exit 0
if ! command -v npm >/dev/null 2>&1; then
  echo "houston: no-npm: npm (with Node 20 or newer) is needed once, to install what Houston is built on" >&2
  exit 3
fi
if [ -h node_modules ]; then
  echo "houston: linked-modules: node_modules is a link; setting up would empty the folder it leads to" >&2
  exit 1
fi
lock=.setup-lock
waited=0
until mkdir "$lock" 2>/dev/null; do
  owner=$(cat "$lock/pid" 2>/dev/null || true)
  if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then rm -rf "$lock"; continue; fi
  [ "$waited" -eq 0 ] && echo "houston: another setup is running here, waiting for it" >&2
  waited=$((waited + 1))
  if [ "$waited" -gt 600 ]; then echo "houston: setup-stuck: remove $root/$lock and try again" >&2; exit 1; fi
  sleep 1
  ready && exit 0
done
echo $$ > "$lock/pid"
trap 'rm -rf "$lock"' EXIT
trap 'rm -rf "$lock"; exit 130' INT TERM HUP
ready && exit 0
echo "houston: first start in this checkout: installing the pinned packages (npm ci), about half a minute" >&2
npm ci --no-audit --no-fund --loglevel=error >&2 || { echo "houston: setup-failed: npm ci did not finish; its own message is above" >&2; exit 1; }
touch node_modules/.package-lock.json
echo "houston: ready" >&2
