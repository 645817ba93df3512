#!/bin/sh
# prune-app.sh APP DIR: leaves in DIR what one app needs to run, out of the built checkout in the working directory:
# the built packages it depends on, and their production dependencies as the lock file has them.
set -eu
app=$1
out=$2
npx turbo prune "@stoker/$app" --out-dir "$out"
cd "$out"
for package in apps/* libs/*; do
  rm -rf "$package/src" "$package/test" "$package/node_modules" "$package/.turbo"
done
npm ci --omit=dev --loglevel=error
# Dependencies' source maps are half of what they weigh; ours stay, for stacks in the log.
find node_modules -type f -name '*.map' -delete
