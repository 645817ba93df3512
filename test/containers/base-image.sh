#!/usr/bin/env bash
# base-image.sh TAG: commits a Debian bookworm with this host's Node and npm as TAG, in place of node:20-bookworm-slim,
# for hosts that reach no image registry. Needs root, debootstrap and buildah. Takes about three minutes.
set -euo pipefail
tag=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/rootfs

debootstrap --variant=minbase --include=ca-certificates,libstdc++6 bookworm "$root" >"$work/debootstrap.log" 2>&1 ||
  { tail -20 "$work/debootstrap.log" >&2; exit 1; }
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

npm_dir=$(npm root --global)/npm
install -D "$(readlink -f "$(command -v node)")" "$root/usr/local/bin/node"
mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/etc"
cp -a "$npm_dir" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"

# What this host trusts (it may sit behind a proxy with a certificate of its own), the image's builds trust as well.
authorities=/etc/ssl/certs/ca-certificates.crt
install -m 644 "$authorities" "$root$authorities"
printf 'cafile=%s\nregistry=%s\n' "$authorities" "$(npm config get registry)" >"$root/usr/local/etc/npmrc"
printf '[global]\ncert = %s\n' "$authorities" >"$root/etc/pip.conf"

container=$(buildah from scratch)
buildah add --quiet "$container" "$root" / >/dev/null
buildah config --cmd '["node"]' --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
buildah commit --quiet --rm "$container" "$tag" >/dev/null
