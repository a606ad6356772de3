package com.example.shop;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A JUnit 5 extension that gives each test a sandbox of the mock. Copy it, and register it with {@code @RegisterExtension}. */
public final class Petstore implements BeforeEachCallback, AfterEachCallback {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private String key;
  private String path;

  @Override
  public void beforeEach(ExtensionContext test) {
    String id = variable("PETSTORE_SANDBOX", "junit") + "-" + test.getUniqueId();
    String made = control("POST", "/sandboxes", "{\"name\": \"" + id.replaceAll("[\"\\\\\\p{Cntrl}]", "-") + "\"}");
    key = field(made, "key");
    path = "/sandboxes/" + field(made, "name");
    // An earlier run may have used it.
    control("POST", path + "/reset", null);
  }

  /** Prints the scorecard if it has issues, and fails the test if a rule was never used. */
  @Override
  public void afterEach(ExtensionContext test) {
    String scorecard = control("GET", path + "/scorecard?reporter=text", null);
    if (scorecard.contains("To fix it:")) System.out.println(test.getDisplayName() + ", " + scorecard);
    String pending = control("GET", path + "/rules?pending=true", null);
    if (pending.contains("\"id\"")) throw new AssertionError("No request matched these rules: " + pending);
  }

  public String baseUrl() {
    return variable("PETSTORE_BASE_URL", null);
  }

  public String key() {
    return key;
  }

  /** Simulates a failure by a rule in JSON, such as {@code {"when": {"operation": "listPets"}, "fault": "reset", "times": 2}}. */
  public void rule(String json) {
    control("POST", path + "/rules", json);
  }

  /** Replaces all pets by those of a JSON array. */
  public void putPets(String json) {
    control("PUT", path + "/pets", json);
  }

  /** Sends a request to the control API of the mock, and returns the body of its response. */
  public String control(String method, String target, String json) {
    var request = HttpRequest.newBuilder(URI.create(variable("PETSTORE_CONTROL_URL", null) + target));
    request.method(method, json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json, UTF_8));
    request.header("Content-Type", "application/json");
    String token = variable("PETSTORE_CONTROL_TOKEN", "");
    if (!token.isEmpty()) request.header("Authorization", "Bearer " + token);
    try {
      var response = HTTP.send(request.build(), BodyHandlers.ofString(UTF_8));
      if (response.statusCode() < 300) return response.body();
      throw new IllegalStateException(method + " " + target + ": " + response.statusCode() + " " + response.body());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  private static String field(String json, String name) {
    Matcher found = Pattern.compile("\"" + name + "\": *\"([^\"]*)\"").matcher(json);
    if (found.find()) return found.group(1);
    throw new IllegalStateException("No " + name + " in " + json);
  }

  private static String variable(String name, String usual) {
    String value = System.getenv().getOrDefault(name, usual);
    if (value == null) throw new IllegalStateException("Set " + name + ", or run the tests with petstore exec.");
    return value;
  }
}
