#!/bin/sh
# A client of the Pet Store Service, with nothing but a POSIX shell and curl.
#
#   sh pets.sh list [STATUS]                 prints up to 100 pets, as JSON
#   sh pets.sh add NAME CATEGORY [STATUS]    adds a pet, and prints its id
#
# It reads PETSTORE_BASE_URL and PETSTORE_API_KEY. Exit codes: 0 done, 1 rejected, 2 wrong usage, 3 unknown result.
set -eu

usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}

: "${PETSTORE_BASE_URL:?is not set}" "${PETSTORE_API_KEY:?is not set}"
response=$(mktemp -d)
trap 'rm -rf "$response"' EXIT

# Sends a request, writes the body to $response/body and the headers to $response/head, and prints the status. The key is
# passed on stdin, because other users of the machine can read a command line.
send() {
  printf 'Authorization: Bearer %s\n' "$PETSTORE_API_KEY" |
    curl --silent --show-error --max-time 10 --header @- --output "$response/body" --dump-header "$response/head" \
      --write-out '%{http_code}' "$@"
}

# The seconds in Retry-After, or nothing without that header. A date, which is rare, counts as half a minute.
retry_after() {
  value=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([^[:cntrl:]]*\).*/\1/p' "$response/head" | tail -n 1)
  case $value in
    '') ;;
    *[!0-9]*) echo 30 ;;
    *) echo "$value" ;;
  esac
}

# Prints the error of the service.
rejected() {
  printf 'The pet store responded %s: %s\n' "$1" "$(cat "$response/body")" >&2
  exit 1
}

# A list can be retried safely: curl does so, and waits as long as Retry-After says.
list() {
  [ $# -le 1 ] || usage
  status=$(send --retry 4 --get --data-urlencode limit=100 ${1:+--data-urlencode "status=$1"} "$PETSTORE_BASE_URL/pets") || exit 3
  [ "$status" = 200 ] || rejected "$status"
  cat "$response/body"
  echo
}

# A creation may succeed although its response is lost, and a retry would then add a second pet. So it is retried only if the
# service says that it created no pet: 429, or 503 with Retry-After.
add() {
  [ $# -eq 2 ] || [ $# -eq 3 ] || usage
  # Separate assignments, so that each error ends the program.
  name=$(quote "$1")
  category=$(integer "$2")
  chosen=${3:+$(quote "$3")}
  pet="{\"name\":$name,\"categoryId\":$category${chosen:+,\"status\":$chosen}}"
  for attempt in 1 2 3 4 5; do
    status=$(send --header 'Content-Type: application/json' --data-raw "$pet" "$PETSTORE_BASE_URL/pets") || unknown
    wait=$(retry_after)
    case $status in
      201)
        # As text, so that nothing rounds it.
        id=$(sed -n 's/.*"id" *: *\(-\{0,1\}[0-9]*\).*/\1/p' "$response/body")
        echo "$id"
        return
        ;;
      429) wait=${wait:-5} ;;
      503) [ -n "$wait" ] || unknown ;;
      5*) unknown ;;
      *) rejected "$status" ;;
    esac
    [ "$attempt" -eq 5 ] || sleep "$wait"
  done
  rejected "$status"
}

unknown() {
  echo 'The result is unknown. Check the list before you add the pet again.' >&2
  exit 3
}

# A JSON string.
quote() {
  case $1 in
    *[[:cntrl:]]*)
      echo 'A name must not contain control characters.' >&2
      exit 2
      ;;
  esac
  printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}

# A JSON integer, as text: some tools round integers above 2^53.
integer() {
  case ${1#-} in
    '' | *[!0-9]* | 0?*)
      echo 'A category must be an integer.' >&2
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
