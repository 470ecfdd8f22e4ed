/**
 * Exports deliveries piece by piece. The caller asks for each piece, so exporting a million
 * deliveries keeps only one in memory, and stops when the caller does. Yields to the receiver.
 */
import { hash } from 'node:crypto'
import { contentType, utf8Text } from '../../shared/body/encoding.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { type CurlTrust, curlCertificateOptions, replayCurl } from '../../shared/snippets/curl.ts'
import { DEFAULT_PREFIX, signedPrefixes } from '../../shared/service/header-rules.ts'
import { handlerTest } from '../../shared/snippets/handler-test.ts'
import { secretNames } from '../../shared/snippets/secret-names.ts'
import { SECRET_VARIABLE } from '../../shared/snippets/snippet.ts'
import type { Store } from '../store/store.ts'
import {
  maskingOf,
  maskedDelivery,
  maskingFor,
  type KnownSecretsDeps,
  type Masking,
} from './masking.ts'
import { writeRecord } from './record.ts'
import { printableText } from '../../shared/text/printable.ts'

interface ExporterDeps extends KnownSecretsDeps {
  readonly store: Pick<Store, 'read' | 'settled' | 'pace'>
  readonly hooks: Pick<Hooks, 'list' | 'secretsOf' | 'reveal'>
  curlTrust(): CurlTrust
}

interface ExportPiece extends ParsedInputOf<'exchange.export'> {
  readonly signal: AbortSignal
}

/** Approximate characters per piece, written between two pauses on the receiver's thread. */
const PIECE_CHARACTERS = 262_144

/** Returns the entries of a piece's first deliveries, and how many of them were read. */
export async function exportPiece(
  deps: ExporterDeps,
  piece: ExportPiece,
): Promise<{ readonly entries: string[]; readonly count: number }> {
  const { store } = deps
  await store.settled()
  await store.pace.rest()
  const masking = await maskingOf(deps, piece.includeSecrets ? 'none' : 'strict')
  const stored = await store.read('bySeq', piece.seqs)
  const bySeq = new Map(stored.map((delivery) => [delivery.seq, delivery]))
  const entries: string[] = []
  let characters = 0
  let count = 0
  for (const seq of piece.seqs) {
    if (characters > PIECE_CHARACTERS) break
    piece.signal.throwIfAborted()
    count++
    const delivery = bySeq.get(seq)
    const entry = delivery && (await writeEntry(deps, delivery, masking, piece))
    if (entry == null) continue
    entries.push(entry)
    characters += entry.length
  }
  return { entries, count }
}

/** Null if the format can't express the delivery. */
async function writeEntry(
  deps: ExporterDeps,
  whole: Delivery,
  known: Masking,
  piece: ExportPiece,
): Promise<string | null> {
  const masking = maskingFor(whole, known)
  const { bytes } = await deps.store.read('body', { seq: whole.seq })
  const body = await masking.body(bytes, whole.headers, whole.truncated)
  const delivery: Delivery = {
    ...maskedDelivery(whole, known),
    // Hash of the body in the file, so that an import can verify it.
    ...(body === bytes || whole.truncated
      ? {}
      : { bodySize: body.length, bodySha256: hash('sha256', body, 'hex') }),
  }
  switch (piece.format) {
    case 'jsonl':
      return writeRecord(delivery, body)
    case 'har':
      return writeHarEntry(delivery, body)
    case 'curl': {
      const hook = deps.hooks.list().find(({ id }) => id === whole.hookId)
      const isSigned = hook !== undefined && piece.includeSecrets
      return writeCurl(delivery, body, {
        prefixes: knownPrefixes(deps.environments),
        trust: deps.curlTrust(),
        hookUrl: hook === undefined ? null : masking.text(hook.url),
        secret: isSigned ? await deps.hooks.reveal(hook.id) : null,
      })
    }
    case 'test':
      return writeTest(deps, delivery, body, masking, piece)
  }
}

/**
 * Returns null for what a test can't send again (a malformed or truncated request, and any but a
 * POST, section 4.4) and, unless asked for, what a correct handler may reject.
 */
function writeTest(
  deps: ExporterDeps,
  delivery: Delivery,
  body: Uint8Array,
  masking: Masking,
  { language, unverified }: Pick<ExportPiece, 'language' | 'unverified'>,
): string | null {
  const { id, seq, method, malformed, truncated, headers, receivedAt, verdict } = delivery
  if (method !== 'POST' || malformed !== null || truncated) return null
  const hooks = deps.hooks.list()
  const hook = hooks.find((one) => one.id === delivery.hookId)
  if (!unverified && (verdict !== 'valid' || hook === undefined)) return null
  const active = hooks.filter(({ status }) => status === 'active')
  const environment = deps.environments.all().find(({ name }) => name === delivery.environment)
  const event = delivery.event ?? 'delivery'
  return handlerTest(language, {
    event,
    seq,
    title: `${event} ${id}, received ${receivedAt}`,
    registeredUrl: hook === undefined ? null : masking.text(hook.url),
    secretName:
      hook === undefined
        ? SECRET_VARIABLE
        : (secretNames(active)[active.indexOf(hook)] ?? secretNames([hook])[0]!),
    prefix: signedPrefixes(headers)[0] ?? environment?.prefix ?? DEFAULT_PREFIX,
    headers,
    body,
    ack: environment?.ack ?? '200',
  })
}

// A delivery as a shell command that re-signs it when run and sends it to its hook's registered URL. Without a matching hook it is
// sent as captured.

interface CurlContext {
  readonly prefixes: readonly string[]
  /** Registered URL of the delivery's hook; null if unknown. */
  readonly hookUrl: string | null
  /** In plain text; null reads it from the shell's environment. */
  readonly secret: string | null
  readonly trust: CurlTrust
}

/** The command, on several lines if needed; a comment if the delivery can't be sent again. */
export function writeCurl(
  delivery: Delivery,
  body: Uint8Array,
  { prefixes, hookUrl, secret, trust }: CurlContext,
): string {
  // Always one line: a second line would run as a command.
  const title = printableText(
    `# ${delivery.event ?? 'delivery'} ${delivery.id}, received ${delivery.receivedAt}`,
  )
  const notes = [
    ...(delivery.truncated
      ? [`# Only the first ${body.length} of ${delivery.bodySize} bytes of its body were stored.`]
      : []),
    ...(hookUrl === null ? ['# No hook matches it: it is sent with its original signature.'] : []),
  ]
  if (delivery.malformed !== null || delivery.method === null)
    return [title, "# This request can't be sent again."].join('\n')
  const target = hookUrl ?? addressOf(delivery)
  const command = replayCurl({
    target,
    method: delivery.method,
    headers: delivery.headers,
    body,
    signedUrl: hookUrl,
    timestamp: null,
    prefixes,
    secret,
    options: curlCertificateOptions(target, trust),
  })
  return [title, ...notes, command].join('\n')
}

// A delivery as an entry of an HTTP archive (HAR 1.2): the request as received, headers in order including duplicates, and the
// response. Data that HAR has no field for uses underscore fields, which the format allows.

/** The body as text if possible; else Base64, which the format defines for responses only. */
function postDataOf(delivery: Delivery, body: Uint8Array) {
  const { type } = contentType(delivery.headers)
  const rest = {
    mimeType: type === '' ? 'application/octet-stream' : type,
    params: [],
    ...(delivery.truncated
      ? { comment: `Only the first ${body.length} of ${delivery.bodySize} bytes were stored.` }
      : {}),
  }
  const text = utf8Text(body, false)
  return text === null
    ? { ...rest, text: Buffer.from(body).toString('base64'), _encoding: 'base64' }
    : { ...rest, text }
}

const named = (pairs: Iterable<readonly [string, string]>) =>
  [...pairs].map(([name, value]) => ({ name, value }))

function queryOf(path: string) {
  const start = path.indexOf('?')
  return start < 0 ? [] : named(new URLSearchParams(path.slice(start)))
}

/** The request URL, as far as the request shows it; always one that URL parsers accept. */
export function addressOf({ headers, path }: Delivery): string {
  if (path !== null && /^https?:\/\//i.test(path) && URL.canParse(path)) return path
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? ''
  const origin = host !== '' && URL.canParse(`https://${host}/`) ? host : '127.0.0.1'
  return `https://${origin}${path?.startsWith('/') === true ? path : '/'}`
}

/** The response's headers and body; without them if they aren't recorded. */
function responseOf({ response }: Delivery) {
  if (response === null)
    return { headers: [], content: { size: 0, mimeType: 'x-unknown' }, bodySize: -1 }
  const size = Buffer.from(response.body, 'base64').length
  const { type } = contentType(response.headers)
  return {
    headers: named(response.headers),
    content: {
      size,
      mimeType: type === '' ? 'x-unknown' : type,
      ...(size === 0 ? {} : { text: response.body, encoding: 'base64' }),
      ...(response.truncated ? { comment: `Only the first ${size} bytes were stored.` } : {}),
    },
    bodySize: response.truncated ? -1 : size,
  }
}

/** Null for a request without a method, which readers of the format reject together with the rest of the file. */
export function writeHarEntry(delivery: Delivery, body: Uint8Array): string | null {
  const { receivedAt, answer, method, headers, httpVersion, malformed } = delivery
  if (method === null || method === '') return null
  const ms = answer.ms ?? 0
  const version = `HTTP/${httpVersion}`
  return JSON.stringify({
    startedDateTime: receivedAt,
    time: ms,
    request: {
      method,
      url: addressOf(delivery),
      httpVersion: version,
      cookies: [],
      headers: named(headers),
      queryString: queryOf(delivery.path ?? ''),
      ...(body.length === 0 ? {} : { postData: postDataOf(delivery, body) }),
      headersSize: -1,
      bodySize: delivery.bodySize,
    },
    response: {
      status: answer.status ?? 0,
      statusText: '',
      httpVersion: version,
      cookies: [],
      redirectURL: '',
      headersSize: -1,
      ...responseOf(delivery),
      ...(answer.status === null ? { comment: 'Connection dropped, or no response yet.' } : {}),
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    ...(malformed === null ? {} : { comment: malformed.reason }),
    _countersign: {
      id: delivery.id,
      event: delivery.event,
      hookId: delivery.hookId,
      environment: delivery.environment,
      mode: delivery.mode,
      verdict: delivery.verdict,
      freshness: delivery.freshness,
      attempt: delivery.attempt,
      schema: delivery.schema,
      bodySha256: delivery.bodySha256,
      ...(delivery.trailers.length === 0 ? {} : { trailers: named(delivery.trailers) }),
    },
  })
}
