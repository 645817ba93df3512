# Sourced by run.sh. Makes podman and buildah work where there is no systemd, no cgroup manager and no right to raise
# limits, such as inside another container: writes runtime and configuration into $WORK and points the tools there.
configure_podman() {
  cat >"$WORK/runc" <<'SCRIPT'
#!/bin/sh
# runc, less the limits that a host without the right to raise them refuses.
bundle=
previous=
for word in "$@"; do
  case $previous in --bundle | -b) bundle=$word ;; esac
  previous=$word
done
if [ -n "$bundle" ] && [ -f "$bundle/config.json" ]; then
  jq 'del(.process.rlimits, .process.oomScoreAdj)' "$bundle/config.json" >"$bundle/config.json.new"
  mv "$bundle/config.json.new" "$bundle/config.json"
fi
exec runc "$@"
SCRIPT
  chmod +x "$WORK/runc"
  cat >"$WORK/containers.conf" <<CONF
[network]
network_backend = "netavark"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "lenient-runc"
[engine.runtimes]
lenient-runc = ["$WORK/runc"]
CONF
  export CONTAINERS_CONF=$WORK/containers.conf
  # Health checks are asked for by this test; without systemd nothing else would.
  export DISABLE_HC_SYSTEMD=true
}

# build_image TAG ARGUMENT...: an image out of a Dockerfile, with the layers of earlier runs.
build_image() {
  local tag=$1
  shift
  buildah bud --quiet --isolation chroot --pull-never --format docker --layers \
    --build-arg "NODE_IMAGE=$BASE_IMAGE" --tag "$tag" "$@" >/dev/null
}
