package com.example.shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShopTest {
  @RegisterExtension final Petstore petstore = new Petstore();
  private Shop shop;

  @BeforeEach
  void open() {
    shop = new Shop(petstore.baseUrl(), petstore.key());
  }

  @Test
  void listsWhatIsForSale() throws Exception {
    petstore.putPets("""
        [{"id": 1, "name": "Rex", "categoryId": 1, "status": "available"},
         {"id": 2, "name": "Mia", "categoryId": 1, "status": "sold"}]""");
    assertEquals("[{\"id\":1,\"name\":\"Rex\",\"categoryId\":1,\"status\":\"available\"}]", shop.petsForSale());
  }

  @Test
  void triesAgainWhenTheServiceIsBusy() throws Exception {
    petstore.rule("""
        {"when": {"operation": "listPets"}, "reply": {"status": 503, "headers": {"retry-after": "0"}}, "times": 1}""");
    assertTrue(shop.petsForSale().contains("\"available\""));
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 502})
  void showsOtherFailures(int status) {
    petstore.rule("{\"reply\": {\"status\": " + status + "}}");
    assertThrows(IOException.class, shop::petsForSale);
  }
}
