/** The program that verifies a delivery in Node, with what its standard library has. */
import { literal, SECRET_VARIABLE, type SnippetLanguage } from './snippet.ts'

const text = (value: string) => literal(value, (base64) => `Buffer.from("${base64}", "base64").toString()`)

export const node: SnippetLanguage = {
  id: 'node',
  name: 'Node',
  file: 'verify.mjs',
  run: 'node verify.mjs',
  write: ({ bodyBase64, url, timestamp, signature }) => `import { createHmac, timingSafeEqual } from "node:crypto";
${bodyBase64 === null ? 'import { readFileSync } from "node:fs";\n' : ''}
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
const body = ${bodyBase64 === null ? 'readFileSync(process.argv[2])' : `Buffer.from("${bodyBase64}", "base64")`};
const url = ${text(url)};
const timestamp = ${text(timestamp)};
const signature = ${text(signature)};
const valid = verify(body, url, timestamp, signature, secret);
console.log(valid ? "valid" : "not valid");
process.exitCode = valid ? 0 : 1;
`,
}
