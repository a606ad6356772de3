"""The sandbox of the tests, through the control API of the mock (docs/reference/control-api.md)."""

from __future__ import annotations

import json
import os
import urllib.request


class Sandbox:
    def __init__(self, name: str) -> None:
        self._url = f"{os.environ['PETSTORE_CONTROL_URL']}/sandboxes"
        self._send("POST", "", {"name": name})
        self._url += f"/{name}"
        self._added: set[str] = set()

    def add_rule(self, **rule) -> None:
        """Simulates a failure, such as add_rule(when={"operation": "listPets"}, fault="reset")."""
        self._added.update(added["id"] for added in self._send("POST", "/rules", rule)["rules"])

    def pending_rules(self) -> list:
        """Rules of the test that no request has used."""
        return [rule for rule in self._send("GET", "/rules?pending=true")["rules"] if rule["id"] in self._added]

    def put_pets(self, pets: list) -> None:
        """Replaces all pets."""
        self._send("PUT", "/pets", pets)

    def add_categories(self, *ids: int) -> None:
        """Adds a pet of each category, since a service may reject the categoryId that no pet has."""
        self._send("POST", "/pets", [{"name": f"Category {number}", "categoryId": number} for number in set(ids)])

    def wait(self, seconds: float) -> None:
        """Advances the clock of the sandbox, so that tests need not wait."""
        self._send("POST", "/clock/advance", {"ms": round(seconds * 1000)})

    def reset(self) -> None:
        # Keep the journal: the scorecard at the end covers all tests.
        self._send("POST", "/reset", {"journal": "keep"})

    def _send(self, method: str, path: str, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {} if data is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=5) as reply:
            text = reply.read()
        return json.loads(text) if text else None
