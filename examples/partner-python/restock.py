"""Adds the pets in stock.json to the store."""

import json
import os
import sys
from pathlib import Path

from pet_store import PetStore, PetStoreError, Unclear

store = PetStore(os.environ["PETSTORE_BASE_URL"], os.environ["PETSTORE_API_KEY"])
stock = json.loads(Path(__file__).with_name("stock.json").read_text(encoding="utf-8"))
missing = 0

for status in ("available", "pending", "sold"):
    pets = store.list_pets(limit=100, status=status)
    count = f"{len(pets)} or more" if len(pets) == 100 else str(len(pets))
    print(f"{status}: {count}")

for wanted in stock:
    try:
        pet = store.add_pet(wanted["name"], wanted["categoryId"], wanted.get("status"))
        print(f"added {pet.name} as no. {pet.id}, category {pet.category_id}, {pet.status or 'without a status'}")
    except Unclear as problem:
        # Only the list shows whether the pet exists, as long as all pets fit on one page.
        found = [pet for pet in store.list_pets(limit=100) if (pet.name, pet.category_id) == (wanted["name"], wanted["categoryId"])]
        print(f"{wanted['name']}: {problem}. {'The pet exists.' if found else 'The pet is not in the list.'}")
        missing += not found
    except PetStoreError as problem:
        print(f"{wanted['name']}: {problem}")
        missing += 1

sys.exit(1 if missing else 0)
