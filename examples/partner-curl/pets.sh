#!/bin/sh
# A client of the Pet Store Service, with nothing but a POSIX shell and curl.
#
#   sh pets.sh list [STATUS]                 prints up to 100 pets, as JSON
#   sh pets.sh add NAME CATEGORY [STATUS]    adds a pet, and prints its id
#
# PETSTORE_BASE_URL and PETSTORE_API_KEY say where and who. Exit codes: 0 done, 1 refused, 2 used wrongly, 3 no clear answer.
set -eu

usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}

: "${PETSTORE_BASE_URL:?is not set}" "${PETSTORE_API_KEY:?is not set}"
answer=$(mktemp -d)
trap 'rm -rf "$answer"' EXIT

# Sends one request: the body goes to $answer/body, the headers to $answer/head, and the status is printed. The key comes
# by stdin, because everybody on this machine can read a command line.
ask() {
  printf 'Authorization: Bearer %s\n' "$PETSTORE_API_KEY" |
    curl --silent --show-error --max-time 10 --header @- --output "$answer/body" --dump-header "$answer/head" \
      --write-out '%{http_code}' "$@"
}

# How many seconds the service asks to wait; nothing when it does not say. A date, which is rare, counts as half a minute.
retry_after() {
  value=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([^[:cntrl:]]*\).*/\1/p' "$answer/head" | tail -n 1)
  case $value in
    '') ;;
    *[!0-9]*) echo 30 ;;
    *) echo "$value" ;;
  esac
}

# Says what the service did not like.
refused() {
  printf 'The pet store answered %s: %s\n' "$1" "$(cat "$answer/body")" >&2
  exit 1
}

# A list can be asked for as often as one likes: curl itself tries again, and waits as Retry-After says.
list() {
  [ $# -le 1 ] || usage
  status=$(ask --retry 4 --get --data-urlencode limit=100 ${1:+--data-urlencode "status=$1"} "$PETSTORE_BASE_URL/pets") || exit 3
  [ "$status" = 200 ] || refused "$status"
  cat "$answer/body"
  echo
}

# A creation may be done although its answer is lost, and nothing tells that two are one. So it is sent again only when the
# service says that it was not done: 429, or 503 with Retry-After.
add() {
  [ $# -eq 2 ] || [ $# -eq 3 ] || usage
  # One by one, so that each mistake ends the program.
  name=$(quote "$1")
  category=$(integer "$2")
  chosen=${3:+$(quote "$3")}
  pet="{\"name\":$name,\"categoryId\":$category${chosen:+,\"status\":$chosen}}"
  for attempt in 1 2 3 4 5; do
    status=$(ask --header 'Content-Type: application/json' --data-raw "$pet" "$PETSTORE_BASE_URL/pets") || unclear
    wait=$(retry_after)
    case $status in
      201)
        # The digits stay text, and text rounds nothing.
        id=$(sed -n 's/.*"id" *: *\(-\{0,1\}[0-9]*\).*/\1/p' "$answer/body")
        echo "$id"
        return
        ;;
      429) wait=${wait:-5} ;;
      503) [ -n "$wait" ] || unclear ;;
      5*) unclear ;;
      *) refused "$status" ;;
    esac
    [ "$attempt" -eq 5 ] || sleep "$wait"
  done
  refused "$status"
}

unclear() {
  echo 'There was no clear answer. Look whether the pet is in the list before you add it again.' >&2
  exit 3
}

# A JSON string.
quote() {
  case $1 in
    *[[:cntrl:]]*)
      echo 'A name holds no control characters.' >&2
      exit 2
      ;;
  esac
  printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}

# A JSON integer, digit by digit: arithmetic of the shell could end at 2^63, and some tools round beyond 2^53.
integer() {
  case ${1#-} in
    '' | *[!0-9]* | 0?*)
      echo 'A category is an integer.' >&2
      exit 2
      ;;
  esac
  printf '%s' "$1"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  list | add) "$command" "$@" ;;
  *) usage ;;
esac
