/** Replaces header values, except what HTTP needs; unknown names too. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { standardNames } from '../import-export/masking.ts'
import { sharedTime, type SharingTools } from './share-body.ts'
import { sharedHost } from './shared-urls.ts'
import { replaceBetween } from './spelled-text.ts'

/** Names that hooks could set too, but that say nothing about anyone. */
const COMMON =
  /^(?:x-forwarded-(?:for|host|proto|port|server|prefix)|x-real-ip|x-request-id|x-correlation-id|traceparent|tracestate|x-amzn-trace-id|cf-(?:ray|connecting-ip|ipcountry|visitor)|fly-[a-z-]+|ngrok-[a-z-]+|true-client-ip|authorization)$/
/** Names of a pair of signature headers. */
const PAIR = /^(x-)(.*)(-(?:signature|timestamp))$/i
const COMMA = /(, ?)/
const HOSTS = /^(?:host|x-forwarded-host)$/
const PLAIN_VALUES: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^content-length$/, /^\d{1,9}$/],
  [
    /^content-type$/,
    /^(?:application\/(?:json|x-www-form-urlencoded|octet-stream|problem\+json)|text\/(?:plain|html|json))(?:; ?charset="?(?:utf-8|utf8|us-ascii|iso-8859-1|windows-1252|utf-16)"?)?$/i,
  ],
  [/^x-forwarded-proto$/, /^https?$/],
  [/^x-forwarded-port$/, /^\d{1,5}$/],
  [/-attempt-number$/, /^\d{1,3}$/],
  [
    /^(?:accept|accept-encoding|connection|transfer-encoding|te|expect|pragma|cache-control|content-encoding)$/,
    /^(?:(?:\*\/\*|application\/json|text\/plain|gzip|deflate|br|zstd|identity|chunked|keep-alive|close|trailers|100-continue|no-cache|no-store|max-age=0)(?:, ?|$))+$/i,
  ],
]

/** Returns a function that replaces the headers of deliveries with these prefixes. */
export function createHeaderSharing(prefixes: readonly string[], tools: SharingTools) {
  const { placeholders, note } = tools
  const isStandard = standardNames(prefixes)
  const timestamps = new Set<string>(prefixes.map((prefix) => headerNames(prefix).timestamp))
  const signatures = new Set<string>(prefixes.map((prefix) => headerNames(prefix).signature))
  const textOf = (text: string) => placeholders.text(text)

  const nameOf = (name: string) => {
    if (isStandard(name.toLowerCase()) || COMMON.test(name.toLowerCase())) return name
    const [, start = '', prefix = name, end = ''] = PAIR.exec(name) ?? []
    return start + textOf(prefix) + end
  }
  const valueOf = (name: string, value: string): string => {
    const isPair = timestamps.has(name) || signatures.has(name)
    if (isPair && value.includes(','))
      return replaceBetween(value, COMMA, (part) => valueOf(name, part))
    if (timestamps.has(name) || name === 'date') return sharedTime(value, tools)
    if (HOSTS.test(name))
      return replaceBetween(value, COMMA, (one) => sharedHost(one, placeholders))
    return PLAIN_VALUES.some(([names, values]) => names.test(name) && values.test(value))
      ? value
      : textOf(value)
  }
  return (headers: RawHeaders): [string, string][] =>
    headers.map(([name, value]) => {
      const lower = name.toLowerCase()
      const shared: [string, string] = [nameOf(name), valueOf(lower, value)]
      if (shared[0] !== name)
        note({ kind: 'header-name', where: () => 'header', before: name, after: shared[0] })
      const isTime = timestamps.has(lower) || lower === 'date'
      if (shared[1] !== value && !isTime && !signatures.has(lower))
        note({ kind: 'header', where: () => lower, before: value, after: shared[1] })
      return shared
    })
}
