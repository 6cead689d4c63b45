import java.io.FileNotFoundException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** S3A: files written, one in parts, read, listed, a folder renamed and deleted. */
final class WithHadoop {
    public static void main(String[] args) throws Exception {
        var configuration = new Configuration();
        configuration.set("fs.s3a.endpoint", Place.ENDPOINT);
        configuration.set("fs.s3a.access.key", Place.ACCESS_KEY);
        configuration.set("fs.s3a.secret.key", Place.SECRET_KEY);
        // The gateway's host is an address.
        configuration.set("fs.s3a.path.style.access", "true");
        var root = new Path("s3a://" + Place.BUCKET + "/");
        try (var files = FileSystem.get(root.toUri(), configuration)) {
            write(files, "/one/small one.bin", Place.SMALL);
            write(files, "/one/large.bin", Place.LARGE);
            Place.check(files.rename(new Path("/one"), new Path("/two")), "not renamed");
            Place.same(read(files, "/two/large.bin", 0, Place.LARGE.length), Place.LARGE);
            Place.same(read(files, "/two/large.bin", 9000, 1000), Arrays.copyOfRange(Place.LARGE, 9000, 10_000));
            Place.same(read(files, "/two/small one.bin", 0, Place.SMALL.length), Place.SMALL);
            var names = Stream.of(files.listStatus(new Path("/two"))).map(FileStatus::getPath).map(Path::getName).toList();
            Place.check(names.toString().equals("[large.bin, small one.bin]"), names);
            try {
                files.open(new Path("/one/large.bin")).close();
                throw new AssertionError("the renamed file must be absent");
            } catch (FileNotFoundException expected) {
                Place.check(!files.delete(new Path("/one"), true), "an absent folder was deleted");
            }
            Place.check(files.delete(new Path("/two"), true), "not deleted");
            Place.check(!files.exists(new Path("/two")), "the folder is left");
        }
    }

    private static void write(FileSystem files, String path, byte[] content) throws Exception {
        try (var stream = files.create(new Path(path))) {
            stream.write(content);
        }
    }

    private static byte[] read(FileSystem files, String path, int start, int length) throws Exception {
        var content = new byte[length];
        try (var stream = files.open(new Path(path))) {
            stream.readFully(start, content);
        }
        return content;
    }
}
