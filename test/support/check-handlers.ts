/**
 * Webhook handlers as developers write them: a correct one, and variants with one classic defect each. They use their own signing
 * code, not ours.
 */
import { spawn } from 'node:child_process'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

export const SECRET = 'whsec_of_the_handler_check'
export const REGISTERED_URL = 'https://hooks.example.test/card-events?tenant=7'

export type Defect =
  | 'single-hash'
  | 'reserialised'
  | 'no-timestamp-check'
  | 'host-url'
  | 'url-left-out'
  | 'writes-like-python'
  | 'decodes-its-secret'
  | 'answers-first'
  | 'never-checks'
  | 'nan-passes'
  | 'crashes'
  | 'always-fails'
  | 'redirects'
  | 'fails-once-checked'
  | 'answers-204'
  | 'takes-all-with-204'
  | 'echoes-its-secret'
  | 'null-offer'
  | 'single-hash-then-null-offer'
  | 'null-offer-then-single-hash'
  | 'rejects-only-repeats'
  /** Correct: the service never sends one id with different content. */
  | 'rejects-changed-repeats'

export interface Handler {
  readonly url: string
  readonly requests: {
    readonly method: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  /** Deliveries that it has processed. */
  readonly booked: string[]
  /** Fixes or breaks it while it runs. */
  become(defect: Defect | null): void
  close(): Promise<void>
}

const LIMIT = 512 * 1024
const WINDOW_MS = 300_000

function hashOnce(key: string | Buffer, ...parts: (string | Buffer)[]): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('base64')
}

function isEqual(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
}

function header(request: IncomingMessage, name: string): string {
  return String(request.headers[name] ?? '')
}

function hasRightTime(timestamp: string, defect: Defect | null): boolean {
  if (defect === 'no-timestamp-check') return true
  // Classic defect: a comparison with NaN is always false.
  if (defect === 'nan-passes')
    return !(Math.abs(Date.now() - Number(timestamp === '' ? 'none' : timestamp)) > WINDOW_MS)
  return /^\d+$/.test(timestamp) && Math.abs(Date.now() - Number(timestamp)) <= WINDOW_MS
}

function signedBody(raw: Buffer, defect: Defect | null): Buffer | string {
  if (defect === 'reserialised') return JSON.stringify(JSON.parse(raw.toString()))
  return defect === 'writes-like-python' ? spaced(JSON.parse(raw.toString())) : raw
}

/** With a space after each comma and colon, the default of `json.dumps`. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, inside]) => `${JSON.stringify(name)}: ${spaced(inside)}`)
    .join(', ')}}`
}

/** Reads a member of a field that is null in most events. */
function readsOffer(raw: Buffer): unknown {
  return (JSON.parse(raw.toString()) as { offer: { id: string } }).offer.id
}

/** Reads `offer` without a check, and throws. */
function judgeRaw(request: IncomingMessage, raw: Buffer, defect: Defect | null): number {
  if (defect === 'null-offer-then-single-hash') readsOffer(raw)
  const isOnce =
    defect === 'single-hash-then-null-offer' || defect === 'null-offer-then-single-hash'
  const status = judge(request, raw, isOnce ? 'single-hash' : defect)
  if (status === 200 && (defect === 'null-offer' || isOnce)) readsOffer(raw)
  return status
}

function judge(request: IncomingMessage, raw: Buffer, defect: Defect | null): number {
  const timestamp = header(request, 'x-service-timestamp')
  const url =
    defect === 'host-url' ? `http://${header(request, 'host')}${request.url ?? ''}` : REGISTERED_URL
  try {
    const key = defect === 'decodes-its-secret' ? Buffer.from(SECRET, 'base64') : SECRET
    const inner = hashOnce(
      key,
      signedBody(raw, defect),
      defect === 'url-left-out' ? '' : url,
      timestamp,
    )
    const expected = defect === 'single-hash' ? inner : hashOnce(key, inner)
    if (!isEqual(expected, header(request, 'x-service-signature'))) return 401
    if (!hasRightTime(timestamp, defect)) return 401
    const payload: unknown = JSON.parse(raw.toString())
    return typeof payload === 'object' && payload !== null ? 200 : 400
  } catch {
    return defect === 'crashes' ? 500 : 400
  }
}

/** Like a framework, it returns 500 if the handler throws. */
function statusOf(request: IncomingMessage, raw: Buffer, defect: Defect | null): number {
  try {
    return judgeRaw(request, raw, defect)
  } catch {
    return 500
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Remembers the first content of each id, and returns it if there was one. */
function remember(seen: Map<string, string>, raw: Buffer): string | undefined {
  const id = /^\s*\{\s*"id":\s*"([^"]+)"/.exec(raw.toString())?.[1]
  if (id === undefined) return undefined
  const before = seen.get(id)
  seen.set(id, before ?? raw.toString())
  return before
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  defect: Defect | null,
  seen: Map<string, string>,
): Promise<Buffer> {
  const isFirst = defect === 'answers-first' && request.method === 'POST'
  if (isFirst) response.writeHead(200).end()
  const raw = await bodyOf(request)
  const answer = (status: number) => {
    if (!isFirst)
      response
        .writeHead(status)
        .end(defect === 'echoes-its-secret' ? `configured with ${SECRET}` : '')
  }
  if (request.method !== 'POST') answer(405)
  else if (defect === 'never-checks') answer(200)
  else if (defect === 'rejects-only-repeats') answer(remember(seen, raw) === undefined ? 200 : 409)
  else if (defect === 'always-fails') answer(500)
  else if (defect === 'redirects') answer(302)
  else if (defect === 'takes-all-with-204') answer(204)
  else if (raw.length > LIMIT) answer(413)
  else {
    const status = statusOf(request, raw, defect)
    const before =
      status === 200 && defect === 'rejects-changed-repeats' ? remember(seen, raw) : undefined
    if (before !== undefined && before !== raw.toString()) answer(409)
    else if (status === 200 && defect === 'answers-204') answer(204)
    else answer(status === 200 && defect === 'fails-once-checked' ? 500 : status)
  }
  return raw
}

export async function startHandler(defect: Defect | null = null): Promise<Handler> {
  let now = defect
  const requests: Handler['requests'] = []
  const booked: string[] = []
  const seen = new Map<string, string>()
  const server = createServer((request, response) => {
    handle(request, response, now, seen).then(
      (raw) => {
        requests.push({
          method: request.method ?? '',
          headers: request.headers,
          body: raw.toString(),
        })
        if (response.statusCode === 200) booked.push(raw.toString())
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in/card-events?tenant=7`,
    requests,
    booked,
    become(next) {
      now = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A correct handler in Python, which shares no code with the others. */
export async function startPythonHandler(): Promise<{
  readonly url: string
  close(): Promise<void>
}> {
  const file = fileURLToPath(new URL('../fixtures/handlers/right.py', import.meta.url))
  const child = spawn('python3', [file], {
    env: { ...process.env, HOOK_SECRET: SECRET, HOOK_URL: REGISTERED_URL },
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
