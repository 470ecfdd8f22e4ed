/**
 * What output hides by default: every known secret, wherever it occurs, and the values of some headers. Stored data stays unchanged:
 * only output is masked.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RawHeaders, Delivery, OwnResponse } from '../../shared/model/delivery.ts'
import { contentEncodings, encodingInBytes, utf8Text } from '../../shared/body/encoding.ts'
import { createMask, MASK, type Mask } from '../../shared/text/masked.ts'
import type { MaskingKind } from '../../shared/contract/nouns/exchange.ts'
import { isCredentialHeader } from '../../shared/service/credential-headers.ts'
import { blockedHeaders, headerNames } from '../../shared/service/header-rules.ts'
import { unlessRefused } from '../base/async.ts'
import { decodeBody } from '../base/decode-body.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { SendAnswer } from '../../shared/model/send.ts'

/** Bytes of a body searched at once: one or two milliseconds of the receiver's thread. */
const PORTION = 131_072
/** Compression inside compression that no header names. */
const MOST_UNNAMED = 4

export interface Masking {
  text(text: string): string
  /** Headers of a request. */
  headers(headers: RawHeaders): RawHeaders
  /** Headers of a response: no hook sets any, so only credentials and repeated values are hidden. */
  responseHeaders(headers: RawHeaders): [string, string][]
  /** A compressed body is removed if its decoded content contains a secret, or couldn't be searched to its end. */
  body(body: Uint8Array, headers: RawHeaders): Promise<Uint8Array>
  /** Also hides the masked values of these headers wherever they are repeated: in the same body, or in a response. */
  withValuesOf(headers: RawHeaders): Masking
}

const withoutMasking: Masking = {
  text: (text) => text,
  headers: (headers) => headers,
  responseHeaders: (headers) => [...headers],
  body: (body) => Promise.resolve(body),
  withValuesOf: () => withoutMasking,
}

/** Positions of secrets in a body, in order. Yields between portions. */
async function* placesIn(
  body: Uint8Array,
  { isEmpty, places, longest }: Mask,
): AsyncGenerator<{ start: number; end: number }> {
  if (isEmpty) return
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  let from = 0
  while (from < bytes.length) {
    if (from > 0) await nextTurn()
    const portionEnd = from + PORTION
    // How far a secret that starts in this portion can extend.
    const text = bytes.toString('latin1', from, portionEnd + longest - 1)
    let next = portionEnd
    for (const place of places(text)) {
      const start = from + place.start
      if (start >= portionEnd) break
      const end = from + place.end
      yield { start, end }
      next = Math.max(next, end)
    }
    from = next
  }
}

/** The body with masked secrets; the same bytes if it contains no secret. */
async function maskedBody(body: Uint8Array, mask: Mask): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let kept = 0
  for await (const { start, end } of placesIn(body, mask)) {
    parts.push(body.subarray(kept, start), Buffer.from(MASK))
    kept = end
  }
  return parts.length === 0 ? body : Buffer.concat([...parts, body.subarray(kept)])
}

/** Whether the bytes are text, which no compressed data is. */
const isText = (bytes: Uint8Array) =>
  /^[^\0-\x08\x0e-\x1f\x7f]*$/.test(utf8Text(bytes, false) ?? '\0')

/** Where compressed data may begin behind other bytes. */
function hidesCompression(bytes: Uint8Array): boolean {
  if (isText(bytes)) return false
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return ['1f8b08', '28b52ffd'].some((mark) => buffer.includes(Buffer.from(mark, 'hex')))
}

/** The first two bytes of the zlib format, which no header has to name. */
const isZlib = ([first = 0, second = 0]: Uint8Array) =>
  (first & 0x8f) === 8 && ((first << 8) | second) % 31 === 0

/** A body without all its compression; null if it isn't compressed. `unread`: why a part of it can't be searched, or null. */
async function unpacked(
  body: Uint8Array,
  named: readonly string[],
): Promise<{ readonly decoded: Uint8Array | null; readonly unread: string | null }> {
  let bytes = body
  let encodings = named
  for (let layer = 0; layer < MOST_UNNAMED; layer++) {
    const isGuess = encodings.length === 0 && isZlib(bytes) && !isText(bytes)
    const next = await decodeBody(bytes, isGuess ? ['deflate'] : encodings)
    const isUndone = next.encodings.length > 0
    if (next.end === 'limit') return { decoded: null, unread: next.problem }
    // Neither text with a wrong header nor bytes that only begin like zlib are compressed data.
    if (next.end === 'broken' && !isText(bytes) && (isUndone || !isGuess))
      return { decoded: null, unread: next.problem }
    if (next.leftOut && hidesCompression(bytes.subarray(-next.leftOut)))
      return { decoded: null, unread: next.problem }
    if (!isUndone || next.end === 'broken') break
    bytes = next.bytes
    encodings = []
  }
  if (encodingInBytes(bytes) !== null || (bytes === body && hidesCompression(bytes)))
    return { decoded: null, unread: 'It seems to contain compressed data.' }
  return { decoded: bytes === body ? null : bytes, unread: null }
}

async function holdsSecret(body: Uint8Array, mask: Mask): Promise<boolean> {
  const { done } = await placesIn(body, mask).next()
  return done !== true
}

/** Whether a request's header is shown, by its name in lower case, apart from credentials. */
type ShownNames = (name: string) => boolean

/** All names that no hook can set (section 4.3), with the `prefixes` of all environments. */
export function standardNames(prefixes: readonly string[]): ShownNames {
  const names = new Set(
    prefixes.flatMap((prefix) => [
      ...blockedHeaders(prefix),
      headerNames(prefix).messageId,
      headerNames(prefix).attemptNumber,
      'content-encoding',
    ]),
  )
  return (name) => names.has(name)
}

/** All names except those of the hooks' own custom headers. */
function unregisteredNames(hooks: Pick<Hooks, 'list'>): ShownNames {
  const names = new Set(
    hooks.list().flatMap(({ headers }) => Object.keys(headers).map((name) => name.toLowerCase())),
  )
  return (name) => !names.has(name)
}

/** `secrets` in plain text. */
export function createMasking(secrets: readonly string[], isShownName: ShownNames): Masking {
  const isShown = ([name, value]: readonly [string, string]) =>
    isShownName(name.toLowerCase()) && !isCredentialHeader(name, value)
  const known = createMask(secrets)

  /** Masking that also hides `values`. Searching for all secrets at once takes time, so only if one of the values occurs. */
  function maskingWith(values: readonly string[]): Masking {
    const own = createMask(values)
    let both: Mask | undefined
    const withOwn = () => (both ??= createMask([...secrets, ...values]))
    const maskText = (text: string) => (own.text(text) === text ? known : withOwn()).text(text)
    return {
      text: maskText,
      headers: (headers) =>
        headers.map((header) => [header[0], isShown(header) ? maskText(header[1]) : MASK]),
      responseHeaders: (headers) =>
        headers.map(([name, value]) => [
          name,
          isCredentialHeader(name, value) ? MASK : maskText(value),
        ]),
      async body(body, headers) {
        if (body.length === 0 || (known.isEmpty && own.isEmpty)) return body
        const { decoded, unread } = await unpacked(body, contentEncodings(headers))
        if (unread !== null)
          return Buffer.from(`${MASK} It couldn't be searched for secrets. ${unread}`)
        const repeats =
          (await holdsSecret(body, own)) || (decoded !== null && (await holdsSecret(decoded, own)))
        const mask = repeats ? withOwn() : known
        if (decoded !== null && (await holdsSecret(decoded, mask))) return Buffer.from(MASK)
        return maskedBody(body, mask)
      },
      withValuesOf(headers) {
        return maskingWith([
          ...values,
          // An echoed token may come without its scheme.
          ...headers.flatMap((header) =>
            isShown(header) ? [] : [header[1], header[1].replace(/^(?:basic|bearer) +/i, '')],
          ),
        ])
      },
    }
  }
  return maskingWith([])
}

// Every known secret, including rotated ones and custom header values: output is searched for them.

export interface KnownSecretsDeps {
  readonly hooks: Pick<Hooks, 'list' | 'secretsOf'>
  readonly environments: Pick<Environments, 'all' | 'openKey'>
  readonly savedHandlers: {
    /** Their own secrets, without those this host can't decrypt. */
    secrets(): Promise<readonly string[]>
  }
}

/** Every secret that this host can decrypt, in plain text. */
async function knownSecrets({
  hooks,
  environments,
  savedHandlers,
}: KnownSecretsDeps): Promise<string[]> {
  const ofHooks = hooks
    .list()
    .flatMap(({ id, headers }) => [
      ...hooks.secretsOf(id).map(({ key }) => key.export().toString('utf8')),
      ...Object.values(headers),
    ])
  const keys = await Promise.all(
    // A key that this host can't decrypt can't be searched for.
    environments.all().map((environment) => unlessRefused(environments.openKey(environment))),
  )
  return [...ofHooks, ...keys.filter((key) => key !== null), ...(await savedHandlers.secrets())]
}

/** Masks each secret, and header values as `kind` says. */
export async function maskingOf(deps: KnownSecretsDeps, kind: MaskingKind): Promise<Masking> {
  if (kind === 'none') return withoutMasking
  return createMasking(
    await knownSecrets(deps),
    kind === 'strict'
      ? standardNames(knownPrefixes(deps.environments))
      : unregisteredNames(deps.hooks),
  )
}

// A delivery for export or display. Stored data doesn't change.

/** Masking that also hides this delivery's own header values wherever they are repeated. */
export function maskingFor(
  { headers, trailers }: Pick<Delivery, 'headers' | 'trailers'>,
  masking: Masking,
): Masking {
  return masking.withValuesOf([...headers, ...trailers])
}

function maskedResponse(response: OwnResponse, own: Masking): OwnResponse {
  const { headers, body } = response
  const text = Buffer.from(body, 'base64').toString('latin1')
  return {
    ...response,
    headers: own.responseHeaders(headers),
    body: Buffer.from(own.text(text), 'latin1').toString('base64'),
  }
}

function isSecretFree(hex: string, { text }: Masking): boolean {
  const bytes = Buffer.from(hex, 'hex').toString('latin1')
  return text(bytes) === bytes
}

/** The same without its body, which is masked separately. */
export function maskedDelivery(delivery: Delivery, masking: Masking): Delivery {
  const own = maskingFor(delivery, masking)
  const { headers, trailers, path, note, malformed, merchant, last4, firstBytes, response } =
    delivery
  return {
    ...delivery,
    headers: [...own.headers(headers)],
    trailers: [...own.headers(trailers)],
    path: path === null ? null : own.text(path),
    note: note === null ? null : own.text(note),
    malformed: malformed === null ? null : { reason: own.text(malformed.reason) },
    merchant: merchant === null ? null : own.text(merchant),
    last4: last4 === null ? null : own.text(last4),
    firstBytes: firstBytes !== null && isSecretFree(firstBytes, own) ? firstBytes : null,
    response: response === null ? null : maskedResponse(response, own),
  }
}

// A send for export or display: a response may repeat credentials of the request.

/** The same with the masking of its request and response. */
export async function maskedSend(send: SendAnswer, masking: Masking): Promise<SendAnswer> {
  const { request, headers } = send
  const ofAnswer = masking.withValuesOf(request?.headers ?? [])
  const bodyOf = async (base64: string, its: RawHeaders, by: Masking) =>
    Buffer.from(await by.body(Buffer.from(base64, 'base64'), its)).toString('base64')
  return {
    ...send,
    error: send.error === null ? null : ofAnswer.text(send.error),
    headers: ofAnswer.responseHeaders(headers),
    base64: await bodyOf(send.base64, headers, ofAnswer),
    request: request && {
      ...request,
      headers: [...masking.headers(request.headers)],
      base64: await bodyOf(request.base64, request.headers, masking),
    },
  }
}
