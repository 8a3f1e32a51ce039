#!/bin/sh
# `npm start` calls this script: it starts the server and opens the gated shell. npm puts directories in front of PATH and sets npm_*
# variables. The gate binds PATH and these variables, so the risk of every first line would be unknown. This script removes npm's changes,
# so the shell has the environment of the person who called npm. The programs of this checkout come last in PATH, so they hide no others.
set -eu
bin=$PWD/dist/bin

while :; do
  case $PATH in
    */node-gyp-bin:*) first=${PATH%%:*} ;;
    *) break ;;
  esac
  case $first in
    */node_modules/.bin | */node-gyp-bin) PATH=${PATH#*:} ;;
    *) break ;;
  esac
done
PATH=$PATH:$bin
export PATH

for name in $(env | sed -n 's/^\(npm_[A-Za-z0-9_]*\)=.*/\1/p'); do
  unset "$name"
done
unset INIT_CWD NODE COLOR

"$bin/apes" up
exec "$bin/ape-shell" "$@"
