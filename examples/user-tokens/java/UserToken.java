import io.jsonwebtoken.Jwts; // io.jsonwebtoken:jjwt-api, jjwt-impl and jjwt-gson (or jjwt-jackson)
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;

public final class UserToken {
    static String userToken(PrivateKey privateKey, String userId) {
        Instant now = Instant.now();
        return Jwts.builder()
            .header().keyId(System.getenv("SIGNING_KEY_ID")).and()
            .audience().add(System.getenv("PROJECT_ID")).and()
            .subject(userId)
            .issuedAt(Date.from(now))
            .expiration(Date.from(now.plus(Duration.ofHours(1))))
            .signWith(privateKey, Jwts.SIG.ES256)
            .compact();
    }

    static PrivateKey readKey(String file) throws IOException, GeneralSecurityException {
        String base64 = Files.readString(Path.of(file)).replaceAll("-----[A-Z ]+-----|\\s", "");
        var encoded = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
        return KeyFactory.getInstance("EC").generatePrivate(encoded);
    }

    public static void main(String[] args) throws IOException, GeneralSecurityException {
        System.out.println(userToken(readKey(System.getenv("SIGNING_KEY_FILE")), args[0]));
    }
}
