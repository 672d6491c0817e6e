# How tests build C programs under a sanitizer. To be sourced after core.sh.
#
#   sanitizer_flags KIND   sets `compiling` and `linking` (with liburcu) for plain, thread, address, undefined or
#                          realtime, and exports the options under which a program ends with its first report
#
# Swift's clang links by gold, which warns of symbols of the sanitizers' own; its lld does not. Its ThreadSanitizer also
# intercepts libdispatch, so a C program needs libdispatch and the blocks runtime, which lie beside Swift's own
# libraries.

sanitizer_flags() {
  local swift
  compiling=() linking=(-fuse-ld=lld)
  case $1 in
    plain) ;;
    thread)
      swift=$(dirname "$(readlink -f "$(command -v clang)")")/../lib/swift/linux
      compiling=(-fsanitize=thread)
      linking+=(-L"$swift" -Wl,-rpath,"$swift" -ldispatch -lBlocksRuntime)
      export TSAN_OPTIONS=halt_on_error=1:history_size=4
      ;;
    address)
      compiling=(-fsanitize=address -fno-omit-frame-pointer)
      export ASAN_OPTIONS=halt_on_error=1:detect_leaks=1
      ;;
    undefined)
      compiling=(-fsanitize=undefined -fno-sanitize-recover=all)
      export UBSAN_OPTIONS=print_stacktrace=1
      ;;
    realtime)
      compiling=(-fsanitize=realtime)
      export RTSAN_OPTIONS=halt_on_error=true
      ;;
    *)
      echo "no sanitizer is called $1: plain, thread, address, undefined or realtime" >&2
      return 2
      ;;
  esac
  urcu_flags
  linking+=("${compiling[@]}" "${urcu[@]}")
  compiling+=("${urcu_compiling[@]}")
}
