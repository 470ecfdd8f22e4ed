/**
 * A closed-loop load over HTTPS from a separate process: each keep-alive connection sends its next
 * delivery when the previous one got a response. Requests are built and signed before the clock
 * starts, so the client costs little. Run as a child process: `node load.ts`, options as JSON on
 * stdin, result as JSON on stdout.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { connect, type TLSSocket } from 'node:tls'
import { pathToFileURL } from 'node:url'

export interface LoadOptions {
  readonly port: number
  readonly caFile: string
  readonly path: string
  /** The URL to sign. */
  readonly url: string
  readonly secret: string
  readonly connections: number
  readonly seconds: number
  /** Warm-up seconds, not counted. */
  readonly warmUp: number
}

export interface LoadResult {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Responses other than 200. */
  readonly refused: number
}

/** Number of different deliveries; after that they repeat. */
const POOL = 20_000

/** Returns a transaction of about 1.1 kB (section 2.6). */
function transaction(index: number): string {
  return JSON.stringify({
    id: randomUUID(),
    accountId: '4c1b4cf2-64dd-4f8e-9c7c-2a3cbe1d2b11',
    programId: 'a5d1a3a6-5a0d-4f0b-8a52-0d3f5fdc6a77',
    datetime: '2026-11-21T10:15:00',
    created: '2026-11-21T10:15:01.123Z',
    updated: '2026-11-21T10:15:01.123Z',
    offer: null,
    approvalCode: String(100_000 + (index % 900_000)),
    auth: true,
    authCode: String(100_000 + (index % 900_000)),
    cardPresent: true,
    cleared: false,
    amount: Math.round((index % 10_000) * 1.37 * 100) / 100,
    currency: 'GBP',
    wallet: null,
    card: {
      id: randomUUID(),
      firstNumbers: '444433',
      lastNumbers: '1111',
      scheme: 'visa',
      metadata: { customer: `c-${index}` },
    },
    brand: {
      id: '5f2b0b0e-8f7b-4a8e-a6ce-6f1ed0a2d5b1',
      name: 'The Corner Coffee',
      logoURL: null,
      metadata: null,
    },
    location: {
      id: '0f4a1c5a-3f0a-4f9a-9a55-2f2b5f1c7d11',
      address: '12 Sample Street',
      city: 'London',
      postcode: 'N1 7AA',
      countryCode: 'GBR',
      timezone: 'Europe/London',
      geolocation: { latitude: 51.5362, longitude: -0.1033 },
      metadata: null,
    },
    identifiers: {
      MID: '123456789012345',
      mastercardAuthCode: null,
      mastercardTransactionSequenceNumber: null,
      mastercardRefNumber: null,
      amexApprovalCode: null,
      visaAuthCode: String(100_000 + (index % 900_000)),
    },
  })
}

/** Builds signed requests, each of a different delivery. */
export function buildRequests({
  path,
  port,
  url,
  secret,
}: Pick<LoadOptions, 'path' | 'port' | 'url' | 'secret'>): Buffer[] {
  const timestamp = String(Date.now())
  return Array.from({ length: POOL }, (_, index) => {
    const body = transaction(index)
    const once = createHmac('sha256', secret)
      .update(body)
      .update(url)
      .update(timestamp)
      .digest('base64')
    const signature = createHmac('sha256', secret).update(once).digest('base64')
    return Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nX-Service-Signature: ${signature}\r\n` +
        `X-Service-Timestamp: ${timestamp}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  })
}

const HEAD_END = Buffer.from('\r\n\r\n')

/** Returns the length of the first complete response in the bytes; 0 if it is incomplete. */
export function answerLength(bytes: Buffer): number {
  const head = bytes.indexOf(HEAD_END)
  if (head === -1) return 0
  const announced = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, head))?.[1]
  if (announced === undefined) {
    // Chunked: the bare servers of this benchmark send only the last chunk.
    const end = bytes.indexOf('0\r\n\r\n', head)
    return end === -1 ? 0 : end + 5
  }
  const length = head + 4 + Number(announced)
  return bytes.length >= length ? length : 0
}

export async function open(options: Pick<LoadOptions, 'port' | 'caFile'>): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      {
        port: options.port,
        host: '127.0.0.1',
        servername: 'localhost',
        ca: readFileSync(options.caFile),
        ALPNProtocols: ['http/1.1'],
      },
      () => {
        resolve(socket)
      },
    )
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

async function run(options: LoadOptions): Promise<LoadResult> {
  const requests = buildRequests(options)
  const sockets = await Promise.all(
    Array.from({ length: options.connections }, () => open(options)),
  )
  const latencies: number[] = []
  let next = 0
  let refused = 0
  let counting = false
  let stopped = false

  const drive = (socket: TLSSocket) =>
    new Promise<void>((resolve) => {
      let sentAt = 0
      let pending: Buffer = Buffer.alloc(0)
      const send = () => {
        if (stopped) {
          socket.destroy()
          resolve()
          return
        }
        sentAt = performance.now()
        socket.write(requests[next++ % POOL]!)
      }
      socket.on('data', (chunk) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const length = answerLength(pending)
        if (length === 0) return
        if (pending.toString('latin1', 9, 12) !== '200') refused++
        pending = pending.subarray(length)
        if (counting) latencies.push(performance.now() - sentAt)
        send()
      })
      socket.on('error', () => {
        refused++
        resolve()
      })
      send()
    })

  const driving = Promise.all(sockets.map(drive))
  await new Promise((resolve) => setTimeout(resolve, options.warmUp * 1_000))
  counting = true
  const from = performance.now()
  await new Promise((resolve) => setTimeout(resolve, options.seconds * 1_000))
  counting = false
  const elapsed = (performance.now() - from) / 1_000
  stopped = true
  await driving
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN
  return {
    perSecond: latencies.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    refused,
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const options = JSON.parse(await text(process.stdin)) as LoadOptions
  process.stdout.write(JSON.stringify(await run(options)))
}
