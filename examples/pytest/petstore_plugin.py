"""A pytest plugin: the fixture `petstore` gives each test a sandbox of the mock. Copy it, and name it in `pytest_plugins`."""

import json
import os
import urllib.error
import urllib.request

import pytest


class Petstore:
    """A sandbox with the pets of the mock, and with rules of its own. Tests with other ids cannot change it."""

    def __init__(self, test: str) -> None:
        self.base_url = os.environ["PETSTORE_BASE_URL"]
        made = self.control("POST", "/sandboxes", {"name": f"{os.environ.get('PETSTORE_SANDBOX', 'pytest')}-{test}"})
        self.api_key = made["key"]
        self._path = f"/sandboxes/{made['name']}"
        # An earlier run may have used it.
        self.control("POST", f"{self._path}/reset")

    def rule(self, **rule) -> None:
        """Simulates a failure: rule(when={"operation": "listPets"}, reply={"status": 503}, times=2)."""
        self.control("POST", f"{self._path}/rules", rule)

    def put_pets(self, *pets: dict) -> None:
        """Replaces all pets."""
        self.control("PUT", f"{self._path}/pets", pets)

    def unused_rules(self) -> list:
        return self.control("GET", f"{self._path}/rules?pending=true")["rules"]

    def scorecard(self) -> dict:
        return self.control("GET", f"{self._path}/scorecard")["scorecards"][0]

    def control(self, method: str, path: str, body=None):
        """Sends a request to the control API of the mock."""
        headers = {"Content-Type": "application/json"}
        if token := os.environ.get("PETSTORE_CONTROL_TOKEN"):
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        url = os.environ["PETSTORE_CONTROL_URL"] + path
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=10) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None


@pytest.fixture
def petstore(request):
    sandbox = Petstore(request.node.nodeid)
    yield sandbox
    # Issues are kept in the report of the test, which also reaches the summary from workers of pytest-xdist.
    issues = [f"{issue['title']}: {issue['fix']}" for issue in sandbox.scorecard()["issues"]]
    request.node.user_properties.append(("petstore-issues", issues))
    if unused := sandbox.unused_rules():
        pytest.fail(f"No request matched these rules: {json.dumps(unused, indent=1)}", pytrace=False)


def pytest_terminal_summary(terminalreporter):
    reports = [one for some in terminalreporter.stats.values() for one in some if getattr(one, "when", "") == "teardown"]
    for report in reports:
        for issue in dict(report.user_properties).get("petstore-issues", []):
            terminalreporter.write_line(f"scorecard of {report.nodeid}: {issue}")
