#!/bin/sh
# Tests the client and runs the program in a sandbox of the mock, and fails unless both keep the contract without a fault:
#
#   npx petstore-kit exec --rate-limit 10/1 -- sh check.sh
set -eu
cd "$(dirname "$0")"

# The key of a sandbox is made offline. The mock knows it when it sees it.
PETSTORE_API_KEY=$(petstore key our-shop)
export PETSTORE_API_KEY

python3 -m unittest --quiet
# A service may reject the categoryId that no pet has, so the sandbox gets pets of all categories in stock.json.
python3 -c '
import json
from sandbox import Sandbox
stock = json.load(open("stock.json", encoding="utf-8"))
Sandbox("our-shop").add_categories(*(pet["categoryId"] for pet in stock))
'
python3 restock.py
petstore scorecard --sandbox our-shop --min-score 100
