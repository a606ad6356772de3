import os

from client import AuthenticatedClient
from client.api.pets import create_pet, get_pet, list_pets
from client.models import Error, NewPet

client = AuthenticatedClient(base_url=os.environ["PETSTORE_BASE_URL"], token=os.environ["PETSTORE_API_KEY"])

for pet in list_pets.sync(client=client, limit=100):
    print("listed", pet.id, pet.category_id)
created = create_pet.sync(client=client, body=NewPet(name="Zoë", category_id=-9223372036854775807))
print("created", created.name, created.category_id)
found = get_pet.sync(created.id, client=client)
print("found", found.name, found.category_id)
response = get_pet.sync_detailed(404404, client=client)
if isinstance(response.parsed, Error):
    print("error", response.status_code.value, response.parsed.status)
