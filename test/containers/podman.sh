# Sourced by run.sh. Makes podman and buildah work where there is no systemd, no cgroup manager and no right to raise
# limits, such as inside another container: writes runtime and configuration into $WORK and points the tools there.
configure_podman() {
  cat >"$WORK/runc" <<'SCRIPT'
#!/bin/sh
# runc, less the limits that a host without the right to raise them refuses: in a container's configuration, and in the
# description of a process that is started in one.
lenient() {
  jq "del($2)" "$1" >"$1.lenient" && mv "$1.lenient" "$1"
}
previous=
for word in "$@"; do
  case $previous in
    --bundle | -b) lenient "$word/config.json" '.process.rlimits, .process.oomScoreAdj' ;;
    --process | -p) lenient "$word" '.rlimits, .oomScoreAdj' ;;
  esac
  previous=$word
done
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
  buildah bud --isolation chroot --pull-never --format docker --layers \
    --build-arg "NODE_IMAGE=$BASE_IMAGE" --tag "$tag" "$@" >"$WORK/build.log" 2>&1 ||
    { tail -40 "$WORK/build.log" >&2; return 1; }
}
