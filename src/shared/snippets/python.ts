/** The program that verifies a delivery in Python, with what its standard library has. */
import { literal, SECRET_VARIABLE, type SnippetLanguage } from './snippet.ts'

const text = (value: string) => literal(value, (base64) => `base64.b64decode("${base64}").decode()`)

export const python: SnippetLanguage = {
  id: 'python',
  name: 'Python',
  file: 'verify.py',
  run: 'python3 verify.py',
  write: ({ bodyBase64, url, timestamp, signature }) => `import base64
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
    body = ${bodyBase64 === null ? 'open(sys.argv[1], "rb").read()' : `base64.b64decode("${bodyBase64}")`}
    url = ${text(url)}
    timestamp = ${text(timestamp)}
    signature = ${text(signature)}
    valid = verify(body, url, timestamp, signature, secret)
    print("valid" if valid else "not valid")
    sys.exit(0 if valid else 1)
`,
}
