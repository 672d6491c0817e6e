# How tests build the C core in ways of their own. To be sourced; `clang` comes with a Swift toolchain.
#
#   core            where it lies; "$core"/src/**/*.c are its sources, whose includes begin at "$core/src"
#   small_core      options that put every rare path within a few steps (base/tuning.h)
#   mutant PATCH DIR   a copy of the core in DIR with PATCH applied; fails, with a message, if it does not apply or changes nothing

core=$(cd "$(dirname "${BASH_SOURCE[0]}")/../CSupport/CCrucible" && pwd)

small_core=(-DCRUCIBLE_SMALL)
shopt -s globstar

if ! command -v clang >/dev/null; then
  echo "no clang on the PATH: it comes with a Swift toolchain" >&2
  exit 1
fi

mutant() {
  rm -rf "$2" && mkdir -p "$2" && cp -r "$core/src" "$core/include" "$2"
  if ! (cd "$2" && GIT_CEILING_DIRECTORIES=$(dirname "$2") git apply -C1 "$1") || diff -rq "$core/src" "$2/src" >/dev/null; then
    echo "FAILED mutation $(basename "$1" .patch) does not apply any more"
    return 1
  fi
}
