import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;

/** Airbyte: the state of its workloads and the logs of its jobs, as documents in one bucket. */
public final class Airbyte {
  private static void check(boolean holds) {
    if (!holds) throw new AssertionError("not as expected");
  }

  public static void main(String[] arguments) throws Exception {
    String endpoint = System.getenv("ENDPOINT");
    String bucket = System.getenv("BUCKET");
    AwsBasicCredentials keys = AwsBasicCredentials.create(System.getenv("ACCESS_KEY"), System.getenv("SECRET_KEY"));
    S3Client s3 = S3Client.builder().endpointOverride(URI.create(endpoint)).forcePathStyle(true).region(Region.US_EAST_1)
        .credentialsProvider(StaticCredentialsProvider.create(keys)).build();
    s3.headBucket(request -> request.bucket(bucket));
    for (int index = 0; index < 3; index++) {
      String key = "job-logging/workspace/7/0/logs/20261129_" + index + ".json";
      s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromString("[]"));
    }
    List<String> logs = s3.listObjectsV2Paginator(request -> request.bucket(bucket).prefix("job-logging/workspace/7/").maxKeys(2))
        .contents().stream().map(one -> one.key()).toList();
    check(logs.size() == 3);
    String state = "state/7";
    try {
      s3.getObjectAsBytes(request -> request.bucket(bucket).key(state));
      throw new AssertionError("there is a state");
    } catch (NoSuchKeyException absent) {
      s3.putObject(request -> request.bucket(bucket).key(state), RequestBody.fromString("{\"cursor\":1}"));
    }
    check(s3.getObjectAsBytes(request -> request.bucket(bucket).key(state)).asUtf8String().equals("{\"cursor\":1}"));
    // Its init container makes the bucket public, for reading and for writing.
    HttpClient anyone = HttpClient.newHttpClient();
    HttpRequest read = HttpRequest.newBuilder(URI.create(endpoint + "/" + bucket + "/" + state)).build();
    check(anyone.send(read, BodyHandlers.ofString()).statusCode() == 200);
    HttpRequest write = HttpRequest.newBuilder(URI.create(endpoint + "/" + bucket + "/by-anyone")).PUT(BodyPublishers.ofString("x")).build();
    check(anyone.send(write, BodyHandlers.ofString()).statusCode() == 200);
    s3.deleteObject(request -> request.bucket(bucket).key(state));
  }
}
