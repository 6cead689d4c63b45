import java.security.MessageDigest;
import java.util.Random;

/** The gateway that a scenario talks to, and what all scenarios compare. */
final class Place {
    static final String ENDPOINT = System.getenv("ENDPOINT");
    static final String ACCESS_KEY = System.getenv("ACCESS_KEY");
    static final String SECRET_KEY = System.getenv("SECRET_KEY");
    static final String BUCKET = System.getenv("BUCKET");
    static final byte[] SMALL = randomBytes(70_000);
    /** More than the part size of each of the clients. */
    static final byte[] LARGE = randomBytes(75 * 1024 * 1024 + 5);

    private Place() {}

    private static byte[] randomBytes(int size) {
        var bytes = new byte[size];
        new Random().nextBytes(bytes);
        return bytes;
    }

    /** Compares bytes by their hash, so that a failure does not print them. */
    static void same(byte[] got, byte[] expected) throws Exception {
        check(MessageDigest.isEqual(hash(got), hash(expected)), "got " + got.length + " other bytes");
    }

    private static byte[] hash(byte[] bytes) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    /** Ends the scenario if something is not as expected. */
    static void check(boolean isTrue, Object found) {
        if (!isTrue) throw new AssertionError(found);
    }
}
