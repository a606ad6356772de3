"""The sandbox of the tests, by the control API of the mock (docs/reference/control-api.md)."""

from __future__ import annotations

import json
import os
import urllib.request


class Sandbox:
    def __init__(self, name: str) -> None:
        self._url = f"{os.environ['PETSTORE_CONTROL_URL']}/sandboxes"
        self._ask("POST", "", {"name": name})
        self._url += f"/{name}"
        self._added: set[str] = set()

    def add_rule(self, **rule) -> None:
        """What shall happen to some requests, such as add_rule(when={"operation": "listPets"}, fault="reset")."""
        self._added.update(added["id"] for added in self._ask("POST", "/rules", rule)["rules"])

    def pending_rules(self) -> list:
        """Rules of the test that no request has met."""
        return [rule for rule in self._ask("GET", "/rules?pending=true")["rules"] if rule["id"] in self._added]

    def put_pets(self, pets: list) -> None:
        """In place of all pets."""
        self._ask("PUT", "/pets", pets)

    def pets(self) -> list:
        return self._ask("GET", "/pets")

    def wait(self, seconds: float) -> None:
        """Moves the clock of the sandbox: for the mock the time is over, and the tests need not wait."""
        self._ask("POST", "/clock/advance", {"ms": round(seconds * 1000)})

    def reset(self) -> None:
        # The scorecard at the end is about the requests of all tests.
        self._ask("POST", "/reset", {"journal": "keep"})

    def _ask(self, method: str, path: str, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {} if data is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=5) as reply:
            text = reply.read()
        return json.loads(text) if text else None
