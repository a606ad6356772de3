#!/bin/sh
# Tests the client in a sandbox of the mock, and fails unless each of its requests keeps the contract:
#
#   npx petstore-kit exec -- sh check.sh
set -eu
cd "$(dirname "$0")"

# The key of a sandbox is made offline. The mock knows it when it sees it.
PETSTORE_API_KEY=$(petstore key our-shop)
export PETSTORE_API_KEY

go vet ./...
go test -count=1 ./...
petstore scorecard --sandbox our-shop --min-score 100
