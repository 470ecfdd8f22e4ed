/** Requests of a HAR file (1.2), one of its entries, or a JSON object with method, URL, headers and body. */
import { z } from 'zod'
import type { RawHeaders } from '../model/delivery.ts'
import {
  bytesOfLatin1,
  latin1Of,
  MOST_HEADERS,
  TOO_MANY_HEADERS,
  type Pasted,
  type PastedRequest,
  pathInUrl,
} from './pasted-text.ts'

/** Requests read from one file. */
const MOST_ENTRIES = 1_000

const pairs = z.union([
  z.array(z.object({ name: z.string(), value: z.string() })),
  z.record(z.string(), z.union([z.string(), z.array(z.string())])),
])
const requestSchema = z.object({
  method: z.string().max(100).default('POST'),
  url: z.string().max(131_072).nullish(),
  headers: pairs.default([]),
  body: z.string().nullish(),
  postData: z
    .object({
      text: z.string().nullish(),
      encoding: z.string().nullish(),
      _encoding: z.string().nullish(),
    })
    .nullish(),
  bodySize: z.number().nullish(),
})
const entrySchema = z.object({
  request: requestSchema,
  startedDateTime: z.iso.datetime({ offset: true }).nullish().catch(null),
})

function headersOf(given: z.infer<typeof pairs>): RawHeaders {
  const listed: [string, string][] = Array.isArray(given)
    ? given.map(({ name, value }) => [name, value])
    : Object.entries(given).flatMap(([name, value]) =>
        [value].flat().map((one): [string, string] => [name, one]),
      )
  // HTTP/2's own fields, such as `:path`, aren't headers.
  return listed
    .filter(([name]) => name !== '' && !name.startsWith(':'))
    .map(([name, value]) => [latin1Of(name), latin1Of(value).replaceAll(/[\r\n\0]+/g, ' ')])
}

function base64Bytes(text: string): Uint8Array | null {
  try {
    return bytesOfLatin1(atob(text))
  } catch {
    return null
  }
}

function requestOf({ request, startedDateTime }: z.infer<typeof entrySchema>): PastedRequest {
  const { method, url, postData, bodySize } = request
  const text = postData?.text ?? request.body ?? ''
  const isBase64 = (postData?.encoding ?? postData?._encoding) === 'base64'
  const body = (isBase64 ? base64Bytes(text) : null) ?? bytesOfLatin1(latin1Of(text))
  const complete = url != null && /^https?:\/\//i.test(url) ? url : null
  return {
    method,
    url: complete,
    path: url == null || url === '' ? '/' : pathInUrl(url),
    headers: headersOf(request.headers),
    bodies: [body],
    at: startedDateTime == null ? null : new Date(startedDateTime).toISOString(),
    note: text === '' && (bodySize ?? 0) > 0 ? 'The file has no body for this request.' : null,
  }
}

/** How many headers a request or entry may have, before any is read. */
function headersIn(one: unknown): number {
  const { request, headers } = (one ?? {}) as { request?: { headers?: unknown }; headers?: unknown }
  return Object.values(request?.headers ?? headers ?? {}).flat().length
}

export function readHar(text: string): Pasted {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytesOfLatin1(text)))
  } catch {
    return {
      refused: /^\s*\{\s*"log"/.test(text)
        ? "The HAR file is cut off or changed: it isn't valid JSON. Save it again."
        : "This JSON can't be read as a request. Paste its headers too, an empty line, then the body.",
    }
  }
  const har = z.object({ log: z.object({ entries: z.array(z.unknown()) }) }).safeParse(value)
  const given = har.success ? har.data.log.entries : [value].flat()
  if (given.length > MOST_ENTRIES)
    return { refused: `The file has ${given.length} requests; the limit is ${MOST_ENTRIES}.` }
  if (given.some((one) => headersIn(one) > MOST_HEADERS)) return { refused: TOO_MANY_HEADERS }
  const entries = given.flatMap((one) => {
    const entry = entrySchema.safeParse(one)
    if (entry.success) return [entry.data]
    const request = requestSchema.extend({ headers: pairs }).safeParse(one)
    return request.success ? [{ request: request.data, startedDateTime: null }] : []
  })
  if (entries.length > 0) return { requests: entries.map(requestOf) }
  return {
    refused: har.success
      ? 'The HAR file has no requests that can be read.'
      : 'This is a body without headers. Paste the headers, an empty line, then the body.',
  }
}
