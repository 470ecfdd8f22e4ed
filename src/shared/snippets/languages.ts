/** Programs that verify a delivery with the standard library. */
import { type SnippetLanguage, SECRET_VARIABLE } from './snippet.ts'

/** Programs with holes for `snippetOf`. */
export const snippetLanguages: readonly SnippetLanguage[] = [
  {
    id: 'node',
    name: 'Node',
    file: 'verify.mjs',
    run: 'node verify.mjs',
    bytes: 'Buffer.from("<base64>", "base64")',
    text: 'Buffer.from("<base64>", "base64").toString()',
    fileBody: '(await import("node:fs")).readFileSync(process.argv[2])',
    program: `import { createHmac, timingSafeEqual } from "node:crypto";

// body: the raw bytes, before any parser; url: as registered; timestamp and signature: the values of their headers.
export function verify(body, url, timestamp, signature, secret) {
  const sign = (...parts) => {
    const hmac = createHmac("sha256", secret);
    for (const part of parts) hmac.update(part);
    return hmac.digest("base64");
  };
  const expected = Buffer.from(sign(sign(body, url, timestamp)));
  const received = Buffer.from(signature);
  return expected.length === received.length && timingSafeEqual(expected, received);
}

// One delivery, to try it on.
const secret = process.env.${SECRET_VARIABLE} ?? "";
const body = <body>;
const url = <url>;
const timestamp = <timestamp>;
const signature = <signature>;
const valid = verify(body, url, timestamp, signature, secret);
console.log(valid ? "valid" : "not valid");
process.exitCode = valid ? 0 : 1;
`,
  },
  {
    id: 'python',
    name: 'Python',
    file: 'verify.py',
    run: 'python3 verify.py',
    bytes: 'base64.b64decode("<base64>")',
    text: 'base64.b64decode("<base64>").decode()',
    fileBody: 'open(sys.argv[1], "rb").read()',
    program: `import base64
import hashlib
import hmac
import os
import sys


# body: the raw bytes, before any parser; url: as registered; timestamp and signature: the values of their headers.
def verify(body: bytes, url: str, timestamp: str, signature: str, secret: str) -> bool:
    def sign(data: bytes) -> bytes:
        return base64.b64encode(hmac.new(secret.encode(), data, hashlib.sha256).digest())

    expected = sign(sign(body + url.encode() + timestamp.encode()))
    return hmac.compare_digest(expected, signature.encode())


# One delivery, to try it on.
if __name__ == "__main__":
    secret = os.environ.get("${SECRET_VARIABLE}", "")
    body = <body>
    url = <url>
    timestamp = <timestamp>
    signature = <signature>
    valid = verify(body, url, timestamp, signature, secret)
    print("valid" if valid else "not valid")
    sys.exit(0 if valid else 1)
`,
  },
  {
    id: 'ruby',
    name: 'Ruby',
    file: 'verify.rb',
    run: 'ruby verify.rb',
    bytes: '"<base64>".unpack1("m0")',
    text: '"<base64>".unpack1("m0")',
    fileBody: 'File.binread(ARGV.fetch(0))',
    program: `require "openssl"

# body: the raw bytes, before any parser; url: as registered; timestamp and signature: the values of their headers.
def verify(body, url, timestamp, signature, secret)
  # "m0" is Base64 without line feeds.
  sign = ->(data) { [OpenSSL::HMAC.digest("SHA256", secret, data)].pack("m0") }
  expected = sign.call(sign.call(body.b + url.b + timestamp.b))
  expected.bytesize == signature.bytesize && OpenSSL.fixed_length_secure_compare(expected, signature)
end

# One delivery, to try it on.
secret = ENV.fetch("${SECRET_VARIABLE}", "")
body = <body>
url = <url>
timestamp = <timestamp>
signature = <signature>
valid = verify(body, url, timestamp, signature, secret)
puts valid ? "valid" : "not valid"
exit valid ? 0 : 1
`,
  },
  {
    id: 'php',
    name: 'PHP',
    file: 'verify.php',
    run: 'php verify.php',
    bytes: 'base64_decode("<base64>")',
    text: 'base64_decode("<base64>")',
    fileBody: 'file_get_contents($argv[1])',
    program: `<?php
// $body: the raw bytes, as file_get_contents("php://input") gives them; $url: as registered;
// $timestamp and $signature: the values of their headers.
function verify(string $body, string $url, string $timestamp, string $signature, string $secret): bool
{
    // The fourth argument makes hash_hmac give bytes, not hexadecimal.
    $sign = fn (string $data): string => base64_encode(hash_hmac("sha256", $data, $secret, true));
    return hash_equals($sign($sign($body . $url . $timestamp)), $signature);
}

// One delivery, to try it on.
$secret = (string) getenv("${SECRET_VARIABLE}");
$body = <body>;
$url = <url>;
$timestamp = <timestamp>;
$signature = <signature>;
$valid = verify($body, $url, $timestamp, $signature, $secret);
echo $valid ? "valid" : "not valid", PHP_EOL;
exit($valid ? 0 : 1);
`,
  },
  {
    id: 'go',
    name: 'Go',
    file: 'verify.go',
    run: 'go run verify.go',
    bytes: 'must(base64.StdEncoding.DecodeString("<base64>"))',
    text: 'string(must(base64.StdEncoding.DecodeString("<base64>")))',
    fileBody: 'must(os.ReadFile(os.Args[1]))',
    program: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
)

// Verify reports whether a delivery is valid. body: the raw bytes, before any parser; url: as registered;
// timestamp and signature: the values of their headers.
func Verify(body []byte, url, timestamp, signature, secret string) bool {
	sign := func(parts ...[]byte) []byte {
		mac := hmac.New(sha256.New, []byte(secret))
		for _, part := range parts {
			mac.Write(part)
		}
		return []byte(base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	expected := sign(sign(body, []byte(url), []byte(timestamp)))
	return hmac.Equal(expected, []byte(signature))
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// One delivery, to try it on.
func main() {
	secret := os.Getenv("${SECRET_VARIABLE}")
	body := <body>
	url := <url>
	timestamp := <timestamp>
	signature := <signature>
	if !Verify(body, url, timestamp, signature, secret) {
		fmt.Println("not valid")
		os.Exit(1)
	}
	fmt.Println("valid")
}
`,
  },
  {
    id: 'java',
    name: 'Java',
    file: 'Verify.java',
    run: 'java Verify.java',
    bytes: 'Base64.getDecoder().decode("<base64>")',
    text: 'new String(Base64.getDecoder().decode("<base64>"), UTF_8)',
    fileBody: 'Files.readAllBytes(Path.of(args[0]))',
    program: `import static java.nio.charset.StandardCharsets.UTF_8;

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
        byte[] body = <body>;
        String url = <url>;
        String timestamp = <timestamp>;
        String signature = <signature>;
        boolean valid = verify(body, url, timestamp, signature, secret);
        System.out.println(valid ? "valid" : "not valid");
        System.exit(valid ? 0 : 1);
    }
}
`,
  },
  {
    id: 'csharp',
    name: 'C#',
    file: 'Program.cs',
    run: 'dotnet run',
    bytes: 'Convert.FromBase64String("<base64>")',
    text: 'Encoding.UTF8.GetString(Convert.FromBase64String("<base64>"))',
    fileBody: 'File.ReadAllBytes(args[0])',
    program: `using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

public static class Program
{
    // body: the raw bytes, before any parser; url: as registered; timestamp and signature: the values of their headers.
    public static bool Verify(byte[] body, string url, string timestamp, string signature, string secret)
    {
        byte[] data = body.Concat(Encoding.UTF8.GetBytes(url + timestamp)).ToArray();
        byte[] expected = Sign(Sign(data, secret), secret);
        byte[] received = Encoding.UTF8.GetBytes(signature);
        // In the same time wherever they differ.
        int difference = expected.Length ^ received.Length;
        for (int i = 0; i < Math.Min(expected.Length, received.Length); i++) difference |= expected[i] ^ received[i];
        return difference == 0;
    }

    private static byte[] Sign(byte[] data, string secret)
    {
        using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
            return Encoding.ASCII.GetBytes(Convert.ToBase64String(hmac.ComputeHash(data)));
    }

    // One delivery, to try it on.
    public static int Main(string[] args)
    {
        string secret = Environment.GetEnvironmentVariable("${SECRET_VARIABLE}") ?? "";
        byte[] body = <body>;
        string url = <url>;
        string timestamp = <timestamp>;
        string signature = <signature>;
        bool valid = Verify(body, url, timestamp, signature, secret);
        Console.WriteLine(valid ? "valid" : "not valid");
        return valid ? 0 : 1;
    }
}
`,
  },
]
