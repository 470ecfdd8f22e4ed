/**
 * What output hides by default: every known secret, wherever it occurs, and the values of some headers. Stored data stays unchanged:
 * only output is masked.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RawHeaders, Delivery, OwnResponse } from '../../shared/model/delivery.ts'
import { contentEncodings, encodingInBytes, utf8Text } from '../../shared/body/encoding.ts'
import { createMask, mapTexts, MASK, type Mask, type Place } from '../../shared/text/masked.ts'
import type { MaskingKind } from '../../shared/contract/nouns/exchange.ts'
import { isCredentialHeader } from '../../shared/service/credential-headers.ts'
import { blockedHeaders, headerNames } from '../../shared/service/header-rules.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import { unlessRefused } from '../base/async.ts'
import { decodeBody } from '../base/decode-body.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { SendAnswer } from '../../shared/model/send.ts'

/** Bytes of a body searched at once: one or two milliseconds of the receiver's thread. */
const PORTION = 131_072
/** Compression inside compression that no header names. */
const MOST_UNNAMED = 4

export interface Masking extends Pick<Mask, 'places' | 'text'> {
  /** Masks every text of a value that isn't a header or a body. */
  texts<Value>(value: Value): Value
  /** Headers of a request. */
  headers(headers: RawHeaders): RawHeaders
  /** Headers of a response: no hook sets any, so only credentials and repeated values are hidden. */
  responseHeaders(headers: RawHeaders): [string, string][]
  /**
   * The body, or its first `most` bytes. `isCut`: only its start was stored. A compressed body is removed if its decoded content
   * contains a secret, or couldn't be searched to its end.
   */
  body(body: Uint8Array, headers: RawHeaders, isCut?: boolean, most?: number): Promise<Uint8Array>
  /** Also hides the masked values of these headers wherever they are repeated: in the same body, or in a response. */
  withValuesOf(headers: RawHeaders): Masking
}

const startOf = (body: Uint8Array, most = body.length) =>
  most < body.length ? body.subarray(0, most) : body

const withoutMasking: Masking = {
  ...createMask([]),
  texts: (value) => value,
  headers: (headers) => headers,
  responseHeaders: (headers) => [...headers],
  body: (body, _headers, _isCut, most) => Promise.resolve(startOf(body, most)),
  withValuesOf: () => withoutMasking,
}

/** Positions of secrets in a body, in order. Yields between portions. */
async function* placesIn(
  body: Uint8Array,
  { finders, places, longest }: Mask,
  isCut = false,
): AsyncGenerator<Place> {
  if (finders.length === 0) return
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  let from = 0
  while (from < bytes.length) {
    if (from > 0) await nextTurn()
    const portionEnd = from + PORTION
    // How far a secret that starts in this portion can extend.
    const text = bytes.toString('latin1', from, portionEnd + longest - 1)
    let next = portionEnd
    for (const place of places(text, isCut && from + text.length === bytes.length)) {
      const start = from + place.start
      if (start >= portionEnd) break
      const end = from + place.end
      yield { start, end }
      next = Math.max(next, end)
    }
    from = next
  }
}

/** The first bytes of a body with masked secrets; the same bytes if nothing changes. */
async function maskedBody(
  body: Uint8Array,
  mask: Mask,
  isCut: boolean,
  most: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let kept = 0
  for await (const { start, end } of placesIn(body, mask, isCut)) {
    if (start >= most) break
    parts.push(body.subarray(kept, start), Buffer.from(MASK))
    kept = end
  }
  return parts.length === 0
    ? startOf(body, most)
    : Buffer.concat([...parts, body.subarray(kept, Math.max(kept, most))])
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

/** `secrets` are hidden everywhere, the rest of `mask` only where it isn't our own word by chance. */
export function createMasking(mask: Mask, isShownName: ShownNames, secrets = mask): Masking {
  const isShown = ([name, value]: readonly [string, string]) =>
    isShownName(name.toLowerCase()) && !isCredentialHeader(name, value)
  const maskHeaders = (headers: RawHeaders, isHidden: (header: RawHeaders[number]) => boolean) =>
    headers.map((header): [string, string] => [
      mask.text(header[0]),
      isHidden(header) ? MASK : mask.text(header[1]),
    ])
  const masking: Masking = {
    ...mask,
    texts: (value) => mapTexts(value, (text, isOurs) => (isOurs ? secrets : mask).text(text)),
    headers: (headers) => maskHeaders(headers, (header) => !isShown(header)),
    responseHeaders: (headers) => maskHeaders(headers, (header) => isCredentialHeader(...header)),
    async body(body, headers, isCut = false, most = body.length) {
      if (body.length === 0 || mask.finders.length === 0) return startOf(body, most)
      const { decoded, unread } = await unpacked(body, contentEncodings(headers))
      if (unread !== null)
        return Buffer.from(`${MASK} It couldn't be searched for secrets. ${unread}`)
      if (decoded !== null && (await holdsSecret(decoded, mask))) return Buffer.from(MASK)
      return maskedBody(body, mask, isCut, most)
    },
    withValuesOf(headers) {
      const values = headers.flatMap((header) =>
        // An echoed token may come without its scheme.
        isShown(header) ? [] : [header[1], header[1].replace(/^(?:basic|bearer) +/i, '')],
      )
      return values.length === 0
        ? masking
        : createMasking(createMask(values, mask), isShownName, secrets)
    },
  }
  return masking
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

/** Resolves with all that this host can decrypt, in plain text: secrets, and the values of hooks' own headers. */
async function readKnown({ hooks, environments, savedHandlers }: KnownSecretsDeps) {
  const listed = hooks.list()
  const ofHooks = listed.flatMap(({ id }) =>
    hooks.secretsOf(id).map(({ key }) => key.export().toString('utf8')),
  )
  const keys = await Promise.all(
    // A key that this host can't decrypt can't be searched for.
    environments.all().map((environment) => unlessRefused(environments.openKey(environment))),
  )
  const own = await savedHandlers.secrets()
  return {
    secrets: [...ofHooks, ...keys.filter((key) => key !== null), ...own],
    values: listed.flatMap(({ headers }) => Object.values(headers)),
  }
}

/** The last masks made, because most calls need the same. */
let latest = { name: '', secrets: createMask([]), all: createMask([]) }

/** Masks each secret, and header values as `kind` says. */
export async function maskingOf(deps: KnownSecretsDeps, kind: MaskingKind): Promise<Masking> {
  if (kind === 'none') return withoutMasking
  const known = await readKnown(deps)
  const name = JSON.stringify(known)
  if (latest.name !== name) {
    const secrets = createMask(known.secrets)
    latest = { name, secrets, all: createMask(known.values, secrets) }
  }
  const isShownName =
    kind === 'strict'
      ? standardNames(knownPrefixes(deps.environments))
      : unregisteredNames(deps.hooks)
  return createMasking(latest.all, isShownName, latest.secrets)
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
  const { headers, body, truncated } = response
  const text = Buffer.from(body, 'base64').toString('latin1')
  const shown = own.text(text, undefined, truncated)
  return {
    ...response,
    headers: own.responseHeaders(headers),
    body: Buffer.from(shown, 'latin1').toString('base64'),
  }
}

/** The same without its body, which is masked separately. */
export function maskedDelivery(delivery: Delivery, masking: Masking): Delivery {
  if (masking === withoutMasking) return delivery
  const own = maskingFor(delivery, masking)
  const { headers, trailers, firstBytes, response } = delivery
  return {
    ...own.texts({ ...delivery, headers: [], trailers: [], response: null }),
    headers: [...own.headers(headers)],
    trailers: [...own.headers(trailers)],
    // Three bytes show a TLS handshake; more could be a part of a secret.
    firstBytes: firstBytes?.slice(0, 2 * 3) ?? null,
    response: response && maskedResponse(response, own),
  }
}

// A send for export or display: a response may repeat credentials of the request.

/** The same with the masking of its request and response. */
export async function maskedSend(send: SendAnswer, masking: Masking): Promise<SendAnswer> {
  const { request, headers, truncated } = send
  const ofAnswer = masking.withValuesOf(request?.headers ?? [])
  const bodyOf = async (
    message: Pick<SendAnswer, 'headers' | 'base64'>,
    by: Masking,
    isCut: boolean,
    most?: number,
  ) => {
    const bytes = Buffer.from(message.base64, 'base64')
    return Buffer.from(await by.body(bytes, message.headers, isCut, most)).toString('base64')
  }
  return {
    ...ofAnswer.texts({ ...send, headers: [], request: null }),
    headers: ofAnswer.responseHeaders(headers),
    base64: await bodyOf(send, ofAnswer, truncated),
    request: request && {
      ...masking.texts({ ...request, headers: [] }),
      headers: [...masking.headers(request.headers)],
      base64: await bodyOf(request, masking, false, KEPT_RESPONSE_BYTES),
    },
  }
}
