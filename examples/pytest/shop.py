"""The code under test: a page of a shop that lists what it can sell."""

import json
import urllib.error
import urllib.request


def names_for_sale(base_url: str, api_key: str) -> list[str]:
    request = urllib.request.Request(
        f"{base_url}/pets?status=available&limit=100", headers={"Authorization": f"Bearer {api_key}"}
    )
    for last in (False, True):
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return [pet["name"] for pet in json.load(response)]
        except urllib.error.HTTPError as error:
            if last or error.code != 503:
                raise
    raise AssertionError("the last attempt returns or raises")
