package com.example.shop;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** The code under test: lists what the Pet Store Service has for sale. */
public final class Shop {
  private final HttpClient http = HttpClient.newHttpClient();
  private final String baseUrl;
  private final String key;

  public Shop(String baseUrl, String key) {
    this.baseUrl = baseUrl;
    this.key = key;
  }

  /** The available pets, as JSON. Tries again once when the service is busy. */
  public String petsForSale() throws IOException, InterruptedException {
    HttpResponse<String> response = send();
    if (response.statusCode() == 503) response = send();
    if (response.statusCode() != 200) throw new IOException("The service responded " + response.statusCode());
    return response.body();
  }

  private HttpResponse<String> send() throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(baseUrl + "/pets?status=available&limit=100"));
    return http.send(request.header("Authorization", "Bearer " + key).build(), HttpResponse.BodyHandlers.ofString());
  }
}
