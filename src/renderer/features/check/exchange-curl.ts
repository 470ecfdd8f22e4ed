/** A request of a check as a line for a shell, exactly as it went: the signature is the one that was sent, not a new one. */
import type { CheckExchange } from '../../../shared/model/check.ts'
import { curlCertificateOptions, type CurlTrust } from '../../../shared/snippets/curl-certificate.ts'
import { shellWord } from '../../../shared/snippets/shell-word.ts'

/** Null where not all of the body was kept. */
export function exchangeCurl({ sent }: CheckExchange, trust: CurlTrust): string | null {
  const { method, url, headers, body, bodySize } = sent
  if (new TextEncoder().encode(body).length !== bodySize) return null
  const lines = headers
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    // An empty header is written with a semicolon: with a colon curl would leave it out.
    .map(([name, value]) => `-H ${shellWord(value === '' ? `${name};` : `${name}: ${value}`)}`)
  const sends = bodySize === 0 ? [] : [`--data-binary ${shellWord(body)}`]
  return [`curl -sS -i -X ${method} ${shellWord(url)}`, ...curlCertificateOptions(url, trust), ...lines, ...sends].join(' \\\n  ')
}
