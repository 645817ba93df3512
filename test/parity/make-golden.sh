#!/usr/bin/env bash
# Writes test/fixtures/golden anew with TensorFlow. Needs python3 with venv and pip; takes a few minutes the first time.
# The Python environment lies in the cache folder, outside the project.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
cache="${STOKER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/stoker}"
venv="$cache/parity-venv"
if ! "$venv/bin/python" -c 'import tensorflow, zstandard, webdataset, pyarrow' >/dev/null 2>&1; then
  mkdir -p "$cache"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet tensorflow-cpu==2.21.0 zstandard==0.25.0 webdataset==1.0.2 pyarrow==26.0.1
fi
export TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES= TF_ENABLE_ONEDNN_OPTS=0
exec "$venv/bin/python" "$here/make_golden.py" "$@"
