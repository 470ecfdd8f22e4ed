/** Shell command that signs a delivery when run (section 5.2), with exact bytes and headers. */
import { shellWord, shellBytes } from './shell-word.ts'
import type { RawHeaders } from '../model/delivery.ts'
import { headerNames } from '../service/header-names.ts'
import { SECRET_VARIABLE, toBase64 } from './snippet.ts'

export interface ReplayCurl {
  readonly target: string
  readonly method: string
  /** Curl sets `host`, `connection` and `content-length`. */
  readonly headers: RawHeaders
  readonly body: Uint8Array
  /** URL to sign; null leaves the headers unchanged. */
  readonly signedUrl: string | null
  /** Timestamp to sign; null for the time of running. */
  readonly timestamp: string | null
  readonly prefixes: readonly string[]
  /** Plain text; null reads it from `WEBHOOK_SECRET`. */
  readonly secret: string | null
  readonly options: readonly string[]
}

const ofCurl = new Set(['host', 'connection', 'content-length'])
/** Headers that curl adds by default. */
const addedByCurl = ['User-Agent', 'Accept', 'Content-Type', 'Expect']

/** Writes a shell function that prints the body. */
function bodyFunction(body: Uint8Array): string {
  const text = asText(body)
  if (text !== null) return `body() { printf %s ${shellWord(text)}; }`
  return `body() { printf %s ${shellWord(toBase64(body))} | openssl base64 -d -A; }`
}

function asText(body: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    // A shell ends strings at a zero byte, and a terminal interprets control characters.
    return body.every((byte) => byte === 9 || byte === 10 || (byte > 31 && byte !== 127))
      ? text
      : null
  } catch {
    return null
  }
}

function headerOption(name: string, value: string): string {
  return `-H ${value === '' ? shellWord(`${name};`) : shellBytes(`${name}: ${value}`)}`
}

export function replayCurl(request: ReplayCurl): string {
  const { target, method, body, signedUrl, prefixes, secret, options } = request
  const headers = request.headers.filter(([name]) => !ofCurl.has(name.toLowerCase()))
  const names = prefixes.map(headerNames)
  const isOne = (name: string, of: 'signature' | 'timestamp') =>
    names.some((one) => one[of] === name.toLowerCase())
  const headerOptions = headers.map(([name, value]) => {
    if (signedUrl !== null && isOne(name, 'signature')) return `-H "${name}: $signature"`
    if (signedUrl !== null && isOne(name, 'timestamp')) return `-H "${name}: $at"`
    return headerOption(name, value)
  })
  const has = new Set(headers.map(([name]) => name.toLowerCase()))
  const withheld = addedByCurl
    .filter((name) => !has.has(name.toLowerCase()))
    .map((name) => `-H '${name}:'`)
  const hasBody = body.length > 0
  const curl = [
    'curl -sS --http1.1 -i --path-as-is -g',
    ...(method === 'POST' && hasBody ? [] : [`-X ${shellWord(method)}`]),
    ...options,
    shellWord(target),
    ...withheld,
    ...headerOptions,
    ...(hasBody ? ['--data-binary @-'] : []),
  ].join(' ')
  const send = hasBody ? `body | ${curl}` : curl
  if (signedUrl === null) return [...(hasBody ? [bodyFunction(body)] : []), send].join('\n')
  const from =
    secret === null ? `"\${${SECRET_VARIABLE}:?Set it to the hook secret}"` : shellWord(secret)
  return [
    bodyFunction(body),
    `secret=${from} url=${shellWord(signedUrl)} at=${request.timestamp === null ? '$(date +%s)000' : shellWord(request.timestamp)}`,
    'sign() { openssl dgst -sha256 -hmac "$secret" -binary | openssl base64 -A; }',
    'signature=$({ body; printf %s "$url$at"; } | sign)',
    'signature=$(printf %s "$signature" | sign)',
    send,
  ].join('\n')
}

/** Writes a signed sample request. */
export function signedCurl({
  url,
  caFile,
  secret,
  prefix,
}: {
  readonly url: string
  readonly caFile: string
  readonly secret: string
  readonly prefix: string
}): string {
  const names = headerNames(prefix)
  return [
    `secret=${shellWord(secret)} url=${shellWord(url)} body='{"hello":"world"}' at=$(date +%s)000`,
    'sign() { openssl dgst -sha256 -hmac "$secret" -binary | openssl base64 -A; }',
    'signature=$(printf %s "$(printf %s "$body$url$at" | sign)" | sign)',
    `curl -sS --cacert ${shellWord(caFile)} "$url" -H "${names.signature}: $signature" -H "${names.timestamp}: $at" -d "$body"`,
  ].join('\n')
}
