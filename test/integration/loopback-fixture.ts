/**
 * A loopback host with a small bundle over a core that only counts calls, and a client that writes
 * raw requests: `fetch` would correct the errors that these tests need.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { readBindAddress } from '../../src/loopback/bind-address.ts'
import type { Bundle } from '../../src/loopback/bundle.ts'
import { createLoopbackHost, type LoopbackHost } from '../../src/loopback/loopback-host.ts'
import type { SessionStore } from '../../src/loopback/sessions.ts'

/** In the page and in each response of the core. Nobody without a session may ever read it. */
export const CANARY = 'canary-2f7c'

export interface CountingCore {
  connections: number
  /** IDs of the connections' sessions. */
  readonly sessions: (string | undefined)[]
  /** Messages that reached the core. If one is from a rejected caller, it got through. */
  readonly messages: string[]
}

export interface TestHost {
  readonly host: LoopbackHost
  readonly core: CountingCore
  pass(ms: number): void
  /** Opens the app with a link; returns the cookie that a browser would send. */
  signIn(): Promise<string>
  keyOf(cookie: string): string
  ticket(cookie: string): Promise<string>
}

const page = `<!doctype html><title>${CANARY}</title><link rel="stylesheet" href="/assets/app.css"><script type="module" src="/assets/app.js"></script>`
const script = `
if (location.hash !== '') localStorage.setItem('key', location.hash.slice('#key='.length))
history.replaceState(null, '', '/')
const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replace('=', '')
const bytes = (text) => new TextEncoder().encode(text)
const client = text(crypto.getRandomValues(new Uint8Array(32)))
const reply = await fetch('/session', { method: 'POST', headers: { 'x-countersign': client } })
const { nonce } = await reply.json()
const digest = text(await crypto.subtle.digest('SHA-256', bytes(localStorage.getItem('key'))))
const hmac = { name: 'HMAC', hash: 'SHA-256' }
const key = await crypto.subtle.importKey('raw', bytes(digest), hmac, false, ['sign'])
const proof = bytes(['client', location.origin, client, nonce].join('\\n'))
const ticket = text(await crypto.subtle.sign('HMAC', key, proof))
const socket = new WebSocket('ws://' + location.host + '/rpc', ['countersign', 'ticket.' + ticket])
socket.onmessage = (event) => { document.title = event.data }
socket.onopen = () => socket.send('hello')
`

export const testBundle: Bundle = new Map([
  ['/', { type: 'text/html; charset=utf-8', bytes: Buffer.from(page) }],
  ['/index.html', { type: 'text/html; charset=utf-8', bytes: Buffer.from(page) }],
  ['/assets/app.js', { type: 'text/javascript; charset=utf-8', bytes: Buffer.from(script) }],
  ['/assets/app.css', { type: 'text/css; charset=utf-8', bytes: Buffer.from(`/* ${CANARY} */`) }],
])

export interface TestHostOptions {
  readonly bind?: string
  readonly dangerouslyBind?: boolean
  readonly allowedHosts?: readonly string[]
  readonly port?: number
  readonly store?: SessionStore
  readonly onOpened?: (token: string) => void
}

/** Nonce that a page sends for a ticket. */
export const CLIENT_NONCE = 'N'.repeat(43)

/** Returns one end's proof that it knows the key, computed independently of the product. */
export function prove(key: string, end: 'client' | 'server', origin: string, nonce: string) {
  const digest = createHash('sha256').update(key).digest('base64url')
  const text = [end, origin, CLIENT_NONCE, nonce].join('\n')
  return createHmac('sha256', digest).update(text).digest('base64url')
}

export async function startTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const counting: CountingCore = { connections: 0, sessions: [], messages: [] }
  let now = 0
  const keys = new Map<string, string>()
  const host = await createLoopbackHost({
    core: {
      blockPort: () => undefined,
      connect(transport) {
        counting.connections++
        counting.sessions.push(transport.session)
        return transport.onMessage((text) => {
          counting.messages.push(text)
          transport.send(`${CANARY}: ${text}`)
        })
      },
    },
    bundle: testBundle,
    bind: readBindAddress(options.bind ?? '127.0.0.1', {
      dangerouslyBind: options.dangerouslyBind ?? false,
    }),
    port: options.port ?? 0,
    allowedHosts: options.allowedHosts ?? [],
    monotonic: () => now,
    randomBytes,
    ...(options.store && { store: options.store }),
    ...(options.onOpened && { onOpened: options.onOpened }),
  })
  const own = `127.0.0.1:${host.port}`
  return {
    host,
    core: counting,
    pass: (ms) => {
      now += ms
    },
    async signIn() {
      const { search, hash } = new URL(host.issueAddress(60_000))
      const answer = await send(host.port, [`GET /${search} HTTP/1.1`, `Host: ${own}`])
      const cookie = headerOf(answer, 'set-cookie')?.split(';')[0] ?? ''
      keys.set(cookie, hash.slice('#key='.length))
      return cookie
    },
    keyOf: (cookie) => keys.get(cookie) ?? '',
    async ticket(cookie) {
      const lines = [
        'POST /session HTTP/1.1',
        `Host: ${own}`,
        `Origin: http://${own}`,
        `Cookie: ${cookie}`,
        `x-countersign: ${CLIENT_NONCE}`,
      ]
      const answer = await send(host.port, [...lines, 'Content-Length: 0'])
      const { nonce } = JSON.parse(answer.body) as { nonce: string }
      return prove(keys.get(cookie) ?? '', 'client', `http://${own}`, nonce)
    },
  }
}

export interface RawAnswer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

export function headerOf(answer: RawAnswer, name: string): string | undefined {
  return answer.headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

/** Writes the lines unchanged, and reads until the connection closes or is upgraded. */
export function send(
  port: number,
  lines: readonly string[],
  address = '127.0.0.1',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, address)
    let text = ''
    const finish = () => {
      socket.destroy()
      const [head = '', ...rest] = text.split('\r\n\r\n')
      const [statusLine = '', ...headerLines] = head.split('\r\n')
      resolve({
        status: Number(statusLine.split(' ')[1]),
        headers: headerLines.map(
          (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const,
        ),
        body: rest.join('\r\n\r\n'),
      })
    }
    socket.setTimeout(5_000, () => socket.destroy(new Error(`No answer to: ${lines[0]}`)))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (text.startsWith('HTTP/1.1 101') && text.includes('\r\n\r\n')) finish()
    })
    socket.on('end', finish)
    socket.on('error', reject)
    socket.write([...lines, 'Connection: close', '', ''].join('\r\n'))
  })
}

/** Sends an upgrade to `/rpc`. The given headers replace the correct ones; null omits one. */
export function upgrade(
  port: number,
  given: Readonly<Record<string, string | null>>,
): Promise<RawAnswer> {
  const right: Record<string, string | null> = {
    Host: `127.0.0.1:${port}`,
    Origin: `http://127.0.0.1:${port}`,
    ...given,
  }
  const headers = Object.entries(right).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  )
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const finish = () => {
      socket.destroy()
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const [statusLine = '', ...lines] = head.split('\r\n')
      const parsed = lines.map(
        (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const,
      )
      resolve({ status: Number(statusLine.split(' ')[1]), headers: parsed, body })
    }
    socket.setTimeout(5_000, () => socket.destroy(new Error('No answer to the upgrade')))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (text.includes('\r\n\r\n')) finish()
    })
    socket.on('error', reject)
    const handshake = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ]
    socket.write(['GET /rpc HTTP/1.1', ...handshake, ...headers, '', ''].join('\r\n'))
  })
}
