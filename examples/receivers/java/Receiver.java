import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The newest key first; two while you rotate. */
public record Receiver(List<byte[]> keys, Path inbox) {
    static final long TOLERANCE_SECONDS = 5 * 60;
    static final int BODY_BYTES_MAX = 8 * 1024 * 1024;

    void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX);
            Headers headers = exchange.getRequestHeaders();
            if (!isSigned(headers, body)) {
                exchange.sendResponseHeaders(400, -1);
                return;
            }
            String id = headers.getFirst("webhook-id");
            // Without an answer, where this throws, the gateway sends the event again.
            boolean isNew = store(id, body);
            exchange.sendResponseHeaders(204, -1);
            if (isNew) System.out.println("stored " + id);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    boolean isSigned(Headers headers, byte[] body) throws GeneralSecurityException {
        String id = headers.getFirst("webhook-id");
        String timestamp = headers.getFirst("webhook-timestamp");
        String signatures = headers.getFirst("webhook-signature");
        if (id == null || timestamp == null || signatures == null || !timestamp.matches("[0-9]{1,12}")) return false;
        long age = System.currentTimeMillis() / 1000 - Long.parseLong(timestamp);
        if (Math.abs(age) > TOLERANCE_SECONDS) return false;
        for (byte[] key : keys) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
            for (String given : signatures.split(" ")) {
                // In constant time.
                if (MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) return true;
            }
        }
        return false;
    }

    /**
     * Keeps the event on disk and tells whether it is new. In a database that is
     * INSERT INTO inbox (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING.
     */
    boolean store(String id, byte[] body) throws IOException {
        Path part = Files.createTempFile(inbox, "event", ".part");
        try {
            Files.write(part, body, StandardOpenOption.WRITE, StandardOpenOption.SYNC);
            Files.createLink(inbox.resolve(Path.of(id).getFileName() + ".json"), part);
            return true;
        } catch (FileAlreadyExistsException known) {
            return false;
        } finally {
            Files.delete(part);
        }
    }

    public static void main(String[] args) throws IOException {
        List<byte[]> keys = Arrays.stream(System.getenv("EVENT_SECRETS").split(" "))
            .map(secret -> Base64.getDecoder().decode(secret.substring("whsec_".length())))
            .toList();
        var receiver = new Receiver(keys, Path.of(System.getenv("INBOX_FOLDER")));
        var server = HttpServer.create(new InetSocketAddress(Integer.parseInt(System.getenv("PORT"))), 0);
        server.setExecutor(Executors.newFixedThreadPool(16));
        server.createContext("/events", receiver::receive);
        server.start();
    }
}
