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

# A service may reject the categoryId that no pet has, so the sandbox gets a pet of this category.
curl --silent --show-error --fail --header 'Content-Type: application/json' \
  --data '[{"name":"Leo","categoryId":9007199254740993}]' \
  --output /dev/null "$PETSTORE_CONTROL_URL/sandboxes/our-shop/pets"

for name in 'Zoë' 'Max "the Cat"' 'Luna \o/'; do
  # An assignment, so that an error ends the check.
  id=$(sh pets.sh add "$name" 9007199254740993 pending)
  echo "$name is no. $id"
done
sh pets.sh list pending

petstore scorecard --sandbox our-shop --min-score 100
