"""A client of the Pet Store Service, with nothing but the standard library of Python 3.9 or later."""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from typing import Callable, Literal, NamedTuple, Optional

PetStatus = Literal["available", "pending", "sold"]


class Pet(NamedTuple):
    """Python integers are unbounded, so every int64 is exact."""

    id: int
    name: str
    category_id: int
    status: Optional[PetStatus]


class PetStoreError(Exception):
    """The service returned an error, with the `code` and `message` of its Error body, if it sent one."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code


class Unclear(Exception):
    """The result of a creation is unknown: check the list before you send it again."""


class PetStore:
    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 10,
        attempts: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`timeout` is in seconds, for one attempt. Tests replace `sleep`."""
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._timeout = timeout
        self._attempts = attempts
        self._sleep = sleep

    def list_pets(self, *, limit: int = 20, status: Optional[PetStatus] = None) -> list[Pet]:
        """At most `limit` pets (1 to 100), in unspecified order. There are no further pages."""
        query = {"limit": limit} if status is None else {"limit": limit, "status": status}
        return [_pet(record) for record in self._send("GET", f"/pets?{urllib.parse.urlencode(query)}")]

    def add_pet(self, name: str, category_id: int, status: Optional[PetStatus] = None) -> Pet:
        """
        The created pet, with its id. Without a status, the service chooses one.

        Raises PetStoreError if it is rejected, and Unclear if the result is unknown.
        """
        record = {"name": name, "categoryId": category_id}
        if status is not None:
            record["status"] = status
        return _pet(self._send("POST", "/pets", record))

    def _send(self, method: str, path: str, record: Optional[dict] = None):
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}
        body = None
        if record is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(record).encode()
        request = urllib.request.Request(self._base_url + path, data=body, headers=headers, method=method)
        for attempt in range(1, self._attempts + 1):
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as response:
                    return json.load(response)
            except urllib.error.HTTPError as response:
                with response:
                    retry_after = _seconds(response.headers.get("Retry-After"))
                    error = _error(response)
                if not _may_retry(method, response.code, retry_after):
                    if method == "POST" and response.code >= 500:
                        raise Unclear(f"The response was {error}") from None
                    raise error from None
                problem: Exception = error
            except (OSError, http.client.HTTPException, ValueError) as failure:
                # No connection, a broken one, a timeout, or a response that is not JSON.
                if method == "POST":
                    raise Unclear(f"No response: {failure}") from failure
                retry_after, problem = None, failure
            if attempt == self._attempts:
                raise problem
            # Without Retry-After, each pause doubles, with some randomness, so that clients do not retry together.
            self._sleep(retry_after if retry_after is not None else 0.25 * 2**attempt * random.uniform(0.75, 1.25))
        raise AssertionError("there is at least one attempt")


def _may_retry(method: str, status: int, retry_after: Optional[float]) -> bool:
    """A failed creation may have created the pet, and a retry would then add a second one."""
    if status == 429:
        return True
    if method == "POST":
        return status == 503 and retry_after is not None
    return status in (502, 503, 504)


def _seconds(retry_after: Optional[str]) -> Optional[float]:
    """Retry-After is a number of seconds, or a date."""
    if retry_after is None:
        return None
    if retry_after.isdigit():
        return float(retry_after)
    try:
        date = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())


def _error(response: urllib.error.HTTPError) -> PetStoreError:
    try:
        record = json.load(response)
        return PetStoreError(response.code, record["code"], record["message"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        # The response came from something else, such as a gateway.
        return PetStoreError(response.code, "unknown", response.reason)


def _pet(record: dict) -> Pet:
    return Pet(record["id"], record["name"], record["categoryId"], record.get("status"))
