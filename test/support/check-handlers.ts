/**
 * Webhook handlers as developers write them: a correct one with its own signing code, and variants.
 */
import { spawn } from 'node:child_process'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { CheckAnswer, CheckExchange } from '../../src/shared/model/check.ts'
import { listen } from './listen.ts'

export const SECRET = 'whsec_of_the_handler_check'
/** Secret of hooks that aren't about transactions, for `secret-per-event`. */
export const CARD_SECRET = 'whsec_of_the_card_hook'
export const KNOWN_CARD = '0d5f5f5c-2f0a-4c2e-9f5e-6a1b2c3d4e5f'
export const REGISTERED_URL = 'https://hooks.example.test/card-events?tenant=7'

const LIMIT = 512 * 1024
const WINDOW_MS = 300_000

interface Payload {
  readonly [name: string]: unknown
}

interface Asked {
  readonly request: IncomingMessage
  readonly raw: Buffer
  readonly timestamp: string
  readonly place: number
  /** Content by id, of the ids that the handler has accepted. */
  readonly seen: Map<string, string>
}

/** Differences of a handler from the correct one. An error becomes a 500, as in a framework. */
interface Variant {
  readonly prefix?: string
  readonly headers?: readonly [signature: string, timestamp: string]
  readonly key?: string | Buffer | ((raw: Buffer) => string)
  /** Without the second pass. */
  readonly once?: true
  /** Returns the hashed URL. */
  url?(request: IncomingMessage): string
  /** Hashes the timestamp first and the body last. */
  readonly timeFirst?: true
  /** Between hashed parts. */
  readonly separator?: string
  /** Returns what the second pass hashes. */
  prints?(inner: string): string
  /** Returns the hashed body. */
  hashed?(raw: Buffer): Buffer | string
  isSigned?(expected: string, signature: string): boolean
  isFresh?(timestamp: string): boolean
  /** Returns the status of a rejection before the signature is checked. */
  readsFirst?(payload: Payload, asked: Asked): number | undefined
  /** Returns the status of a rejection after that. */
  reads?(payload: Payload, asked: Asked): number | undefined
  /** Returns the status to send. */
  answers?(status: number, asked: Asked): number
  /** Responds with 200 before it reads the body. */
  readonly answersFirst?: true
  /** Body of the response. */
  readonly says?: string
  /** Decodes chunk by chunk, which breaks characters. */
  readonly decodesParts?: true
  /** Responds with its secret. */
  readonly echoes?: true
}

const within = (timestamp: number) => Math.abs(Date.now() - timestamp) <= WINDOW_MS
const isRecent = (timestamp: string) => /^\d+$/.test(timestamp) && within(Number(timestamp))
const anything = () => true
const hexadecimal = (digest: string) => Buffer.from(digest, 'base64').toString('hex')

/** Returns JSON with a space after each comma and colon, the default of `json.dumps`. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, inside]) => `${JSON.stringify(name)}: ${spaced(inside)}`)
    .join(', ')}}`
}

const readsOffer = (payload: Payload) =>
  'offer' in payload ? void (payload['offer'] as { id: string }).id : undefined
const requiresOffer = ({ offer }: Payload) => (offer === null ? 422 : undefined)

/** Remembers the first content of each id, and returns the earlier content. */
function before({ raw, seen }: Asked): string | undefined {
  const id = /^\s*\{\s*"id":\s*"([^"]+)"/.exec(raw.toString())?.[1] ?? ''
  const earlier = seen.get(id)
  if (id !== '') seen.set(id, earlier ?? raw.toString())
  return earlier
}

export const variants = {
  // One mistake each.
  'single-hash': { once: true },
  'host-url': { url: ({ headers, url = '' }) => `http://${headers.host ?? ''}${url}` },
  'url-left-out': { url: () => '' },
  'decodes-its-secret': { key: Buffer.from(SECRET, 'base64') },
  'wrong-secret': { key: 'of another hook' },
  'secret-per-event': { key: (raw) => (raw.includes('"amount"') ? SECRET : CARD_SECRET) },
  'writes-like-python': { hashed: (raw) => spaced(JSON.parse(raw.toString())) },
  reserialised: { hashed: (raw) => JSON.stringify(JSON.parse(raw.toString())) },
  'reads-latin': { hashed: (raw) => raw.toString('latin1') },
  'no-timestamp-check': { isFresh: anything },
  // Classic: a comparison with NaN is always false.
  'nan-passes': {
    isFresh: (timestamp) =>
      !(Math.abs(Date.now() - Number(timestamp === '' ? 'none' : timestamp)) > WINDOW_MS),
  },
  'only-past': {
    isFresh: (timestamp) => /^\d+$/.test(timestamp) && Number(timestamp) > Date.now() - WINDOW_MS,
  },
  'takes-seconds': {
    isFresh: (timestamp) => isRecent(timestamp) || isRecent(`${timestamp}000`),
  },
  'reads-seconds': { isFresh: (timestamp) => isRecent(`${timestamp}000`) },
  'needs-message-id': {
    reads: (_, { request }) =>
      request.headers['service-message-id'] === undefined ? 400 : undefined,
  },
  'reads-absent-metadata': {
    reads: ({ card }) => void (card as { metadata: object } | undefined)?.metadata.constructor,
  },
  'knows-no-card': {
    says: '{"error":"card not found"}',
    answers: (status) => (status === 200 ? 404 : status),
  },
  'knows-one-card': {
    reads: ({ card }) => ((card as { id?: string } | null)?.id === KNOWN_CARD ? undefined : 404),
  },
  'plain-header-names': { headers: ['signature', 'timestamp'] },
  'compares-hexadecimal': {
    isSigned: (expected, signature) => isEqual(hexadecimal(expected), signature),
  },
  'hexadecimal-twice': {
    prints: hexadecimal,
    isSigned: (expected, signature) => isEqual(hexadecimal(expected), signature),
  },
  'orders-time-first': { timeFirst: true },
  'joins-with-dots': { timeFirst: true, separator: '.' },
  'signs-python-bytes': { prints: (inner) => `b'${inner}'` },
  'amount-as-text': { reads: ({ amount }) => (typeof amount === 'number' ? 422 : undefined) },
  'time-with-zone': {
    says: '[{"path":["datetime"],"message":"Invalid ISO datetime"}]',
    reads: ({ datetime }) =>
      typeof datetime !== 'string' || datetime.endsWith('Z') ? undefined : 400,
  },
  'strict-keys': {
    says: 'Unrecognized keys: "cleared", "cardPresent"',
    reads: (payload) => ('cleared' in payload || 'cardPresent' in payload ? 400 : undefined),
  },
  // Accepts any currency except the first delivery's.
  'only-other-currency': {
    says: 'currency not supported',
    reads({ amount, currency }, { seen }) {
      if (amount === undefined) return undefined
      if (typeof currency !== 'string') return 422
      const refused = seen.get('currency') ?? currency
      seen.set('currency', refused)
      return currency === refused ? 422 : undefined
    },
  },
  'strict-objects': {
    reads: ({ card }) =>
      typeof card === 'object' && card !== null && 'addedLater' in card ? 422 : undefined,
  },
  'compares-the-beginning': {
    isSigned: (expected, signature) => isEqual(expected.slice(0, 20), signature.slice(0, 20)),
  },
  'requires-all': {
    reads: ({ offer, wallet }) => (offer === null || wallet === null ? 422 : undefined),
  },
  'wrong-path': { says: 'Cannot POST /in', answers: () => 404 },
  'csrf-in-front': { says: 'CSRF verification failed.', answers: () => 403 },
  'decodes-parts': { decodesParts: true },
  'ignores-letter-case': {
    isSigned: (expected, signature) => isEqual(expected.toLowerCase(), signature.toLowerCase()),
  },
  'compares-letters': {
    isSigned: (expected, signature) =>
      expected.length === signature.length &&
      timingSafeEqual(Buffer.from(expected), Buffer.from(signature)),
  },
  'unequal-lengths': {
    isSigned: (expected, signature) =>
      timingSafeEqual(Buffer.from(expected), Buffer.from(signature)),
  },
  'short-window': {
    isFresh: (timestamp) => isRecent(timestamp) && Number(timestamp) > Date.now() - 30_000,
  },
  'answers-first': { answersFirst: true },
  'never-checks': { isSigned: anything, isFresh: anything },
  'checks-only-time': { isSigned: anything },
  'optional-signature': {
    isSigned: (expected, signature) => signature === '' || isEqual(expected, signature),
  },
  'throws-if-forged': {
    isSigned(expected, signature) {
      if (isEqual(expected, signature)) return true
      throw new Error('Bad signature.')
    },
  },
  inverted: { isSigned: (expected, signature) => !isEqual(expected, signature) },
  'null-offer': { reads: readsOffer },
  'requires-offer': { reads: requiresOffer },
  'only-cards': { reads: ({ lastNumbers }) => (lastNumbers === undefined ? 422 : undefined) },
  'strict-fields': { reads: ({ addedLater }) => (addedLater === undefined ? undefined : 422) },
  'plain-amounts': {
    reads: (_, { raw }) => (/"amount":\d+\.\d?0\b/.test(raw.toString()) ? 422 : undefined),
  },
  'rejects-repeats': { reads: (_, asked) => (before(asked) === undefined ? undefined : 409) },
  'rejects-only-repeats': {
    isSigned: anything,
    isFresh: anything,
    reads: (_, asked) => (before(asked) === undefined ? undefined : 409),
  },
  'answers-201': { answers: (status) => (status === 200 ? 201 : status) },
  'answers-204': { answers: (status) => (status === 200 ? 204 : status) },
  'always-fails': { answers: () => 500 },
  'fails-once-checked': { answers: (status) => (status === 200 ? 500 : status) },
  redirects: { answers: () => 302 },
  'starts-slowly': { answers: (status, { place }) => (place === 0 ? 503 : status) },
  'every-third': { answers: (status, { place }) => (place % 3 === 2 ? 503 : status) },
  'first-of-three': { answers: (status, { place }) => (place % 3 === 0 ? 503 : status) },
  alternates: { answers: (status, { place }) => (place % 2 === 0 ? 401 : status) },
  'echoes-its-secret': { echoes: true },
  'reads-offer-first': { readsFirst: readsOffer },
  'requires-offer-first': { readsFirst: requiresOffer },
  'own-prefix': { prefix: 'acme' },
  'refuses-with-400': { answers: (status) => (status === 401 ? 400 : status) },
  'refuses-with-403': { answers: (status) => (status === 401 ? 403 : status), says: 'Forbidden' },
  'answers-with-text': { says: 'OK' },
  'window-of-two-minutes': {
    isFresh: (timestamp) =>
      isRecent(timestamp) && Math.abs(Date.now() - Number(timestamp)) < WINDOW_MS / 2.5,
  },
  'checks-content-type': {
    reads: (_, { request }) =>
      request.headers['content-type']?.startsWith('application/json') === true ? undefined : 415,
  },
  // The service never sends one id with different content.
  'rejects-changed-repeats': {
    reads: (_, asked) =>
      (before(asked) ?? asked.raw.toString()) === asked.raw.toString() ? undefined : 409,
  },
} as const satisfies Readonly<Record<string, Variant>>

export type Defect = keyof typeof variants

export interface Handler {
  readonly url: string
  readonly requests: {
    readonly method: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  readonly booked: string[]
  /** Fixes or breaks the handler while it runs. */
  become(defect: Defect | null): void
  close(): Promise<void>
}

function hashOnce(key: string | Buffer, ...parts: (string | Buffer)[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('base64')
}

function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function parsed(raw: Buffer): Payload | null {
  try {
    const payload: unknown = JSON.parse(raw.toString())
    return typeof payload === 'object' && payload !== null ? (payload as Payload) : null
  } catch {
    return null
  }
}

const namesOf = ({ prefix = 'service', headers }: Variant) =>
  headers ?? [`x-${prefix}-signature`, `x-${prefix}-timestamp`]

function judge(asked: Asked, variant: Variant): number {
  const { request, raw, timestamp } = asked
  if (request.method !== 'POST') return 405
  if (raw.length > LIMIT) return 413
  const payload = parsed(raw)
  const early = payload === null ? undefined : variant.readsFirst?.(payload, asked)
  if (early !== undefined) return early
  const { key: own = SECRET } = variant
  const key = typeof own === 'function' ? own(raw) : own
  const url = variant.url?.(request) ?? REGISTERED_URL
  const hashed = payload === null ? raw : (variant.hashed?.(raw) ?? raw)
  const parts = variant.timeFirst === true ? [timestamp, url, hashed] : [hashed, url, timestamp]
  const { separator = '' } = variant
  const inner = hashOnce(
    key,
    ...parts.flatMap((part, place) => (place === 0 ? [part] : [separator, part])),
  )
  const printed = variant.prints?.(inner) ?? inner
  const expected = variant.once === true ? printed : hashOnce(key, printed)
  const signature = String(request.headers[namesOf(variant)[0]] ?? '')
  if (!(variant.isSigned ?? isEqual)(expected, signature)) return 401
  if (!(variant.isFresh ?? isRecent)(timestamp)) return 401
  if (payload === null) return 400
  return variant.reads?.(payload, asked) ?? 200
}

function statusOf(asked: Asked, variant: Variant): number {
  try {
    return judge(asked, variant)
  } catch {
    return 500
  }
}

async function bodyOf(request: IncomingMessage, { decodesParts }: Variant): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>)
    chunks.push(decodesParts === true ? Buffer.from(chunk.toString()) : chunk)
  return Buffer.concat(chunks)
}

export async function startHandler(...defects: readonly (Defect | null)[]): Promise<Handler> {
  const variantOf = (names: typeof defects): Variant =>
    Object.assign({}, ...names.map((name) => (name === null ? {} : variants[name]))) as Variant
  let variant = variantOf(defects)
  let count = 0
  const requests: Handler['requests'] = []
  const booked: string[] = []
  const seen = new Map<string, string>()
  async function handle(request: IncomingMessage, response: ServerResponse, place: number) {
    const isFirst = variant.answersFirst === true && request.method === 'POST'
    if (isFirst) response.writeHead(200).end()
    const raw = await bodyOf(request, variant)
    const timestamp = String(request.headers[namesOf(variant)[1]] ?? '')
    const asked = { request, raw, timestamp, place, seen }
    const status = statusOf(asked, variant)
    const { method = '', headers } = request
    requests.push({ method, headers, body: raw.toString() })
    if (!isFirst)
      response
        .writeHead(variant.answers?.(status, asked) ?? status)
        .end(variant.echoes === true ? `configured with ${SECRET}` : variant.says)
    if (response.statusCode === 200) booked.push(raw.toString())
  }
  const server = createServer((request, response) => {
    handle(request, response, count++).catch(() => response.destroy())
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/in/card-events?tenant=7`,
    requests,
    booked,
    become(defect) {
      variant = variantOf([defect])
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * Starts a handler in Python, which shares no code with the others: correct, or with one defect.
 */
export async function startPythonHandler(defect = ''): Promise<{
  readonly url: string
  close(): Promise<void>
}> {
  const file = fileURLToPath(new URL('../fixtures/handlers/right.py', import.meta.url))
  const child = spawn('python3', [file], {
    env: { ...process.env, HOOK_SECRET: SECRET, HOOK_URL: REGISTERED_URL, DEFECT: defect },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      reject(new Error(`The handler in Python ended with ${code}.`))
    })
    child.stdout.once('data', (data: Buffer) => {
      resolve(data.toString().trim())
    })
  })
  return {
    url: `http://127.0.0.1:${port}/in`,
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          resolve()
        })
        child.kill()
      }),
  }
}

/** Returns a valid delivery of a handler check that got 200, with some changes. */
export const checkExchange = (
  got: Partial<CheckAnswer>,
  sent: Partial<CheckExchange['sent']> = {},
): CheckExchange => ({
  sent: {
    label: 'delivery',
    method: 'POST',
    url: '',
    signedUrl: '',
    headers: [],
    body: '',
    bodySize: 0,
    ...sent,
  },
  got: {
    status: 200,
    ms: 3,
    errorKind: null,
    error: null,
    headers: [],
    body: '',
    early: false,
    ...got,
  },
})
