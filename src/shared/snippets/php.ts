/** The program that verifies a delivery in PHP, with what its standard library has. */
import { literal, SECRET_VARIABLE, type SnippetLanguage } from './snippet.ts'

const text = (value: string) => literal(value, (base64) => `base64_decode("${base64}")`)

export const php: SnippetLanguage = {
  id: 'php',
  name: 'PHP',
  file: 'verify.php',
  run: 'php verify.php',
  write: ({ bodyBase64, url, timestamp, signature }) => `<?php
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
$body = ${bodyBase64 === null ? 'file_get_contents($argv[1])' : `base64_decode("${bodyBase64}")`};
$url = ${text(url)};
$timestamp = ${text(timestamp)};
$signature = ${text(signature)};
$valid = verify($body, $url, $timestamp, $signature, $secret);
echo $valid ? "valid" : "not valid", PHP_EOL;
exit($valid ? 0 : 1);
`,
}
