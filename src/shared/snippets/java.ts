/** The program that verifies a delivery in Java, with what its standard library has. */
import { literal, SECRET_VARIABLE, type SnippetLanguage } from './snippet.ts'

const text = (value: string) => literal(value, (base64) => `new String(Base64.getDecoder().decode("${base64}"), UTF_8)`)

export const java: SnippetLanguage = {
  id: 'java',
  name: 'Java',
  file: 'Verify.java',
  run: 'java Verify.java',
  write: ({ bodyBase64, url, timestamp, signature }) => `import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Verify {
    /** body: the raw bytes, before any parser; url: as registered; timestamp and signature: the values of their headers. */
    static boolean verify(byte[] body, String url, String timestamp, String signature, String secret)
            throws GeneralSecurityException {
        byte[] inner = sign(secret, body, url.getBytes(UTF_8), timestamp.getBytes(UTF_8));
        return MessageDigest.isEqual(sign(secret, inner), signature.getBytes(UTF_8));
    }

    private static byte[] sign(String secret, byte[]... parts) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        for (byte[] part : parts) mac.update(part);
        return Base64.getEncoder().encode(mac.doFinal());
    }

    /** One delivery, to try it on. */
    public static void main(String[] args) throws Exception {
        String secret = System.getenv("${SECRET_VARIABLE}");
        byte[] body = ${bodyBase64 === null ? 'Files.readAllBytes(Path.of(args[0]))' : `Base64.getDecoder().decode("${bodyBase64}")`};
        String url = ${text(url)};
        String timestamp = ${text(timestamp)};
        String signature = ${text(signature)};
        boolean valid = verify(body, url, timestamp, signature, secret);
        System.out.println(valid ? "valid" : "not valid");
        System.exit(valid ? 0 : 1);
    }
}
`,
}
