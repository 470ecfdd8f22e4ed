/** A request of a check as a curl command. */
import type { CheckExchange } from '../../../shared/model/check.ts'
import { curlCertificateOptions, type CurlTrust } from '../../../shared/snippets/curl-trust.ts'
import { shellWord } from '../../../shared/snippets/shell-word.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { CopyButton } from '../../ui/copy.tsx'

/** Returns a request as a curl command; null if its body was truncated. */
export function exchangeCurl({ sent }: CheckExchange, trust: CurlTrust): string | null {
  const { method, url, headers, body, bodySize } = sent
  if (new TextEncoder().encode(body).length !== bodySize) return null
  const lines = headers
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    // curl drops an empty header written with a colon, but sends one written with a semicolon.
    .map(([name, value]) => `-H ${shellWord(value === '' ? `${name};` : `${name}: ${value}`)}`)
  const sends = bodySize === 0 ? [] : [`--data-binary ${shellWord(body)}`]
  return [
    `curl -sS -i -X ${method} ${shellWord(url)}`,
    ...curlCertificateOptions(url, trust),
    ...lines,
    ...sends,
  ].join(' \\\n  ')
}

export function CopyExchangeCurl({ exchange }: { readonly exchange: CheckExchange }) {
  const status = useApp((state) => state.core.status)
  const line = exchangeCurl(exchange, {
    receiver: status?.receiver.url ?? null,
    caFile: status?.caFile ?? null,
  })
  if (line === null) return null
  return (
    <CopyButton text={line} label="Copy the exact request as cURL" caption="cURL" className="h-7" />
  )
}
