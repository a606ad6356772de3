#!/bin/sh
# Uses the client in a sandbox of the mock, and fails if a request breaks the contract:
#
#   npx petstore-kit exec --rate-limit 3/1 -- sh check.sh
set -eu
cd "$(dirname "$0")"

# The key is created offline.
PETSTORE_API_KEY=$(petstore key our-shop)
export PETSTORE_API_KEY

sh pets.sh list available >/dev/null
for name in 'Zoë' 'Max "the Cat"' 'Luna \o/'; do
  echo "$name is no. $(sh pets.sh add "$name" 9007199254740993 pending)"
done
sh pets.sh list pending

petstore scorecard --sandbox our-shop --min-score 100
