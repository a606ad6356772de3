import urllib.error

import pytest

from shop import names_for_sale

BUSY = {"reply": {"status": 503, "headers": {"retry-after": "0"}}}


def test_lists_what_is_for_sale(petstore):
    petstore.put_pets(
        {"id": 1, "name": "Rex", "categoryId": 1, "status": "available"},
        {"id": 2, "name": "Mia", "categoryId": 1, "status": "sold"},
    )
    assert names_for_sale(petstore.base_url, petstore.api_key) == ["Rex"]


def test_tries_again_when_the_service_is_busy(petstore):
    petstore.rule(when={"operation": "listPets"}, times=1, **BUSY)
    assert names_for_sale(petstore.base_url, petstore.api_key)


@pytest.mark.parametrize("status", [500, 502])
def test_shows_other_failures(petstore, status):
    petstore.rule(reply={"status": status})
    with pytest.raises(urllib.error.HTTPError):
        names_for_sale(petstore.base_url, petstore.api_key)
