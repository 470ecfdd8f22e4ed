/** Four lines for a shell that sign a body as the service does and send it here (section 5.2 of the interface). */
import { shellWord } from '../../../shared/snippets/shell-word.ts'

export interface CurlParts {
  /** The registered URL: the signature is over exactly this text. */
  readonly url: string
  readonly caFile: string
  readonly secret: string
}

/** What stands for the secret until it is filled in. */
export const SECRET_PLACEHOLDER = 'SECRET-OF-THE-HOOK'

export function signedCurl({ url, caFile, secret }: CurlParts): string {
  return [
    `secret=${shellWord(secret)} url=${shellWord(url)} body='{"hello":"world"}' at=$(date +%s)000`,
    'sign() { openssl dgst -sha256 -hmac "$secret" -binary | openssl base64 -A; }',
    'signature=$(printf %s "$(printf %s "$body$url$at" | sign)" | sign)',
    `curl -sS --cacert ${shellWord(caFile)} "$url" -H "x-service-signature: $signature" -H "x-service-timestamp: $at" -d "$body"`,
  ].join('\n')
}
