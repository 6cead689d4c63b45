import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Delete;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectAttributes;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** The SDK, and its client on the CRT for transfers in parts; path style because the gateway's host is an address. */
final class WithSdk {
    private static final String BUCKET = Place.BUCKET;

    public static void main(String[] args) throws Exception {
        var keys = StaticCredentialsProvider.create(AwsBasicCredentials.create(Place.ACCESS_KEY, Place.SECRET_KEY));
        var endpoint = URI.create(Place.ENDPOINT);
        var region = Region.US_EAST_1;
        try (var client = S3Client.builder().endpointOverride(endpoint).region(region).credentialsProvider(keys)
                        .forcePathStyle(true).build();
                var crt = S3AsyncClient.crtBuilder().endpointOverride(endpoint).region(region).credentialsProvider(keys)
                        .forcePathStyle(true).build()) {
            client.createBucket(it -> it.bucket(BUCKET));
            objects(client);
            parts(crt);
            remove(client);
        }
    }

    private static void objects(S3Client client) throws Exception {
        client.putObject(it -> it.bucket(BUCKET).key("a b+c.bin").metadata(Map.of("colour", "blue")),
                RequestBody.fromBytes(Place.SMALL));
        var got = client.getObjectAsBytes(it -> it.bucket(BUCKET).key("a b+c.bin"));
        Place.same(got.asByteArray(), Place.SMALL);
        Place.check("blue".equals(got.response().metadata().get("colour")), got.response().metadata());
        // One header line for each attribute.
        var attributes = client.getObjectAttributes(it -> it.bucket(BUCKET).key("a b+c.bin")
                .objectAttributes(ObjectAttributes.knownValues()));
        Place.check(attributes.objectSize() == Place.SMALL.length && attributes.eTag() != null, attributes);
        client.copyObject(it -> it.sourceBucket(BUCKET).sourceKey("a b+c.bin").destinationBucket(BUCKET)
                .destinationKey("copy.bin"));
        Place.same(client.getObjectAsBytes(it -> it.bucket(BUCKET).key("copy.bin")).asByteArray(), Place.SMALL);
        try {
            client.getObjectAsBytes(it -> it.bucket(BUCKET).key("absent.bin"));
            throw new AssertionError("the absent key must fail");
        } catch (NoSuchKeyException expected) {
            client.deleteObject(it -> it.bucket(BUCKET).key("absent.bin"));
        }
    }

    private static void parts(S3AsyncClient crt) throws Exception {
        crt.putObject(it -> it.bucket(BUCKET).key("large.bin"), AsyncRequestBody.fromBytes(Place.LARGE)).join();
        Place.same(read(crt, "large.bin", null), Place.LARGE);
        Place.same(read(crt, "large.bin", "bytes=9000-9999"), Arrays.copyOfRange(Place.LARGE, 9000, 10_000));
        try {
            read(crt, "absent.bin", null);
            throw new AssertionError("the absent key must fail");
        } catch (CompletionException failure) {
            // The CRT asks for the size by HEAD, whose reply has no error document.
            Place.check(failure.getCause() instanceof S3Exception error && error.statusCode() == 404, failure);
        }
    }

    private static byte[] read(S3AsyncClient crt, String key, String range) {
        return crt.getObject(it -> it.bucket(BUCKET).key(key).range(range), AsyncResponseTransformer.toBytes())
                .thenApply(ResponseBytes::asByteArray).join();
    }

    private static void remove(S3Client client) {
        var keys = client.listObjectsV2Paginator(it -> it.bucket(BUCKET)).contents().stream().map(S3Object::key).toList();
        Place.check(keys.equals(List.of("a b+c.bin", "copy.bin", "large.bin")), keys);
        var doomed = keys.stream().map(key -> ObjectIdentifier.builder().key(key).build()).toList();
        client.deleteObjects(it -> it.bucket(BUCKET).delete(Delete.builder().objects(doomed).build()));
        Place.check(client.listObjectsV2(it -> it.bucket(BUCKET)).keyCount() == 0, "objects are left");
        client.deleteBucket(it -> it.bucket(BUCKET));
    }
}
