"""Tests of the client, in a sandbox of the mock: check.sh starts both."""

import os
import unittest

from pet_store import Pet, PetStore, PetStoreError, Unclear
from sandbox import Sandbox

LIST = {"operation": "listPets"}
CREATE = {"operation": "createPet"}


class PetStoreTest(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = Sandbox("our-shop")
        self.addCleanup(self.sandbox.reset)
        self.waits = []
        self.store = PetStore(
            os.environ["PETSTORE_BASE_URL"], os.environ["PETSTORE_API_KEY"], timeout=0.5, sleep=self.wait
        )

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.sandbox.wait(seconds)

    def tearDown(self) -> None:
        self.assertEqual(self.sandbox.pending_rules(), [], "a rule was never used")

    def test_integers_are_exact(self) -> None:
        largest = {"id": 9007199254740993, "name": "Max", "categoryId": 9223372036854775807, "status": "sold"}
        self.sandbox.put_pets([largest])
        self.assertEqual(self.store.list_pets(), [Pet(9007199254740993, "Max", 9223372036854775807, "sold")])
        self.sandbox.add_categories(-9223372036854775808)
        added = self.store.add_pet("Luna", -9223372036854775808)
        self.assertEqual(added.category_id, -9223372036854775808)

    def test_lists_by_status(self) -> None:
        pets = self.store.list_pets(limit=100, status="pending")
        self.assertGreater(len(pets), 0)
        self.assertEqual({pet.status for pet in pets}, {"pending"})

    def test_a_list_is_retried_when_the_service_is_busy(self) -> None:
        self.sandbox.add_rule(when=LIST, reply={"status": 503, "headers": {"retry-after": "7"}}, times=2)
        self.assertGreater(len(self.store.list_pets()), 0)
        self.assertEqual(self.waits, [7, 7])

    def test_the_rate_limit_is_respected(self) -> None:
        self.sandbox.add_rule(rateLimit={"requests": 2, "windowMs": 30_000})
        for _ in range(3):
            self.store.list_pets()
        self.store.add_pet("Rex", 1)
        self.assertEqual(len(self.waits), 1)
        self.assertLessEqual(self.waits[0], 30)

    def test_a_list_is_retried_after_a_broken_connection(self) -> None:
        for fault in ("reset", "truncated-body"):
            with self.subTest(fault):
                self.sandbox.add_rule(when=LIST, fault=fault, times=1)
                self.assertGreater(len(self.store.list_pets()), 0)

    def test_retries_are_limited(self) -> None:
        self.sandbox.add_rule(when=LIST, reply={"status": 502})
        with self.assertRaises(PetStoreError) as raised:
            self.store.list_pets()
        self.assertEqual(raised.exception.status, 502)
        self.assertEqual(len(self.waits), 4)
        self.assertEqual(self.waits, sorted(self.waits))

    def test_a_creation_is_retried_if_no_pet_was_created(self) -> None:
        self.sandbox.add_rule(when=CREATE, reply={"status": 503, "headers": {"retry-after": "3"}}, times=1)
        self.store.add_pet("Rex", 1)
        self.assertEqual(self.waits, [3])

    def test_a_creation_with_an_unknown_result_is_not_retried(self) -> None:
        rules = {"Ace": {"reply": {"status": 500}}, "Gus": {"fault": "reset"}, "Leo": {"fault": "silence"}}
        for name, rule in rules.items():
            with self.subTest(rule):
                self.sandbox.add_rule(when=CREATE, times=1, **rule)
                with self.assertRaises(Unclear):
                    self.store.add_pet(name, 1)
        self.assertEqual(self.waits, [])

    def test_an_error_has_the_message_of_the_service(self) -> None:
        self.sandbox.add_rule(when=CREATE, reply={"status": 400, "code": "full", "message": "The store is full."})
        with self.assertRaisesRegex(PetStoreError, "400 full: The store is full."):
            self.store.add_pet("Rex", 1)


if __name__ == "__main__":
    unittest.main()
