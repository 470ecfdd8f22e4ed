/**
 * A delivery as a shell command that signs it when run (section 5.2 of the interface), with openssl and curl, with exact bytes and
 * headers. The secret comes from the environment unless it is given.
 */
import type { RawHeaders } from '../model/delivery.ts'
import { headerNames } from '../service/header-rules.ts'
import { SECRET_VARIABLE, toBase64 } from './snippet.ts'
import { targetKind } from '../http.ts'

export interface ReplayCurl {
  readonly target: string
  readonly method: string
  /** In order; `host`, `connection` and `content-length` are left to curl. */
  readonly headers: RawHeaders
  readonly body: Uint8Array
  /** What to sign; null sends the headers unchanged. */
  readonly signedUrl: string | null
  /** The timestamp to sign; null for the time when the command runs. */
  readonly timestamp: string | null
  /** The prefix of the signature and timestamp headers. */
  readonly prefixes: readonly string[]
  /** In plain text; null reads it from `WEBHOOK_SECRET`. */
  readonly secret: string | null
  /** More curl options, exactly as written. */
  readonly options: readonly string[]
}

const ofCurl = new Set(['host', 'connection', 'content-length'])
/** Headers that curl adds by default. */
const addedByCurl = ['User-Agent', 'Accept', 'Content-Type', 'Expect']

/** A shell function that prints the body: plain text if possible, else Base64. */
function bodyFunction(body: Uint8Array): string {
  const text = asText(body)
  if (text !== null) return `body() { printf %s ${shellWord(text)}; }`
  return `body() { printf %s ${shellWord(toBase64(body))} | openssl base64 -d -A; }`
}

function asText(body: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    // A shell ends strings at a zero byte, and a terminal may interpret control characters.
    return body.every((byte) => byte === 9 || byte === 10 || (byte > 31 && byte !== 127))
      ? text
      : null
  } catch {
    return null
  }
}

/** The options for one header; a header without a value needs its own form. */
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

/** A first request to try: signed when run, under an account's header names. */
export function signedCurl({
  url,
  caFile,
  secret,
  prefix,
}: {
  /** The registered URL: the signature covers exactly this text. */
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

// How curl verifies the target's certificate, so that a copied command runs unchanged.

export interface CurlTrust {
  /** URL of the receiver; null if unknown: any HTTPS URL of this computer may then be the receiver. */
  readonly receiver: string | null
  /** Local CA certificate; null if unknown. */
  readonly caFile: string | null
}

/** The receiver's certificate is verified with our own CA; other servers on this computer aren't verified, as when we send. */
export function curlCertificateOptions(
  target: string,
  { receiver, caFile }: CurlTrust,
): readonly string[] {
  if (!/^https:/i.test(target)) return []
  const kind = targetKind(target, receiver)
  if (kind !== 'receiver' && kind !== 'here') return []
  const isOurs = kind === 'receiver' || receiver === null
  return isOurs && caFile !== null ? [`--cacert ${shellWord(caFile)}`] : ['--insecure']
}

// Texts and bytes as words of a POSIX shell.

/** One word of a command line, quoted only if it has to be. */
export function shellArgument(text: string): string {
  return /^[\w@:./=[\]-]+$/.test(text) ? text : shellWord(text)
}

/** One word, whatever its content. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * One word whose characters are bytes (Latin-1): those beyond ASCII by number, because the shell's own text may use any encoding.
 */
function shellBytes(latin1: string): string {
  if (/^[\x20-\x7e]*$/.test(latin1)) return shellWord(latin1)
  const escaped = latin1.replace(
    /[\\%']|[^\x20-\x7e]/g,
    (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return `"$(printf '${escaped}')"`
}
