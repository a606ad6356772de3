import com.fasterxml.jackson.databind.ObjectMapper;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.PetsApi;
import org.openapitools.client.model.NewPet;
import org.openapitools.client.model.Pet;

public class Main {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("PETSTORE_BASE_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("PETSTORE_API_KEY")));
    PetsApi pets = new PetsApi(client);

    for (Pet pet : pets.listPets(100, null)) {
      System.out.println("listed " + pet.getId() + " " + pet.getCategoryId());
    }
    Pet created = pets.createPet(new NewPet().name("Zoë").categoryId(-9223372036854775807L));
    System.out.println("created " + created.getName() + " " + created.getCategoryId());
    Pet found = pets.getPet(created.getId());
    System.out.println("found " + found.getName() + " " + found.getCategoryId());
    try {
      pets.getPet(404404L);
    } catch (ApiException failure) {
      int status = new ObjectMapper().readTree(failure.getResponseBody()).get("status").asInt();
      System.out.println("error " + failure.getCode() + " " + status);
    }
  }
}
