/**
 * Promise 5 in raw HTTP: only a page of this host, opened with a one-time URL, can read or change
 * anything.
 */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { CONTENT_SECURITY_POLICY } from '../../src/shared/content-policy.ts'
import {
  CANARY,
  CLIENT_NONCE,
  headerOf,
  prove,
  send,
  startTestHost,
  testBundle,
  upgrade,
  type RawAnswer,
  type TestHost,
} from './loopback-fixture.ts'

let app: TestHost
let port: number
let own: string

beforeAll(async () => {
  app = await startTestHost()
  port = app.host.port
  own = `127.0.0.1:${port}`
})

afterAll(() => app.host.close())

/**
 * Problems with a rejection: another status, or any content that the rejected caller must not
 * learn.
 */
function flawsOf(answer: RawAnswer): string[] {
  const text = JSON.stringify(answer)
  const leaks = [CANARY, String(port)].filter((secret) => text.includes(secret))
  const words = text.match(/token=|ticket|set-cookie/gi) ?? []
  return [...(answer.status === 403 ? [] : [`status ${answer.status}`]), ...leaks, ...words]
}

describe('the Host header', () => {
  // Each form is sent with a valid cookie, so only the host can be the reason for the rejection.
  const wrongHosts: [string, (port: number) => string[]][] = [
    ['a foreign name', (p) => [`Host: evil.test:${p}`]],
    ['a name that starts like ours', (p) => [`Host: localhost.evil.test:${p}`]],
    ['a name that resolves to loopback', (p) => [`Host: 127.0.0.1.nip.io:${p}`]],
    ['a wrong port', () => ['Host: 127.0.0.1:1']],
    ['no port', () => ['Host: 127.0.0.1']],
    ['no host at all', () => []],
    ['an empty host', () => ['Host: ']],
    ['two hosts, the first ours', (p) => [`Host: 127.0.0.1:${p}`, 'Host: evil.test']],
    ['two hosts, both ours', (p) => [`Host: 127.0.0.1:${p}`, `Host: 127.0.0.1:${p}`]],
    ['our host as a user name', (p) => [`Host: 127.0.0.1:${p}@evil.test`]],
    ['our address inside IPv6', (p) => [`Host: [::ffff:7f00:1]:${p}`]],
    ['a trailing dot', (p) => [`Host: localhost.:${p}`]],
    ['every address', (p) => [`Host: 0.0.0.0:${p}`]],
    ['IPv6 loopback, which is not bound', (p) => [`Host: [::1]:${p}`]],
  ]

  test.each(wrongHosts)('%s is rejected on every path', async (_name, hostLines) => {
    const cookie = await app.signIn()
    const token = new URL(app.host.issueAddress(60_000)).search.slice(1)
    for (const path of [
      '/',
      `/?${token}`,
      '/index.html',
      '/assets/app.js',
      '/session',
      '/rpc',
      '/nothing',
    ]) {
      for (const method of ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT']) {
        const lines = [
          `${method} ${path} HTTP/1.1`,
          ...hostLines(port),
          `Cookie: ${cookie}`,
          `Origin: http://${own}`,
          'x-countersign: 1',
        ]
        expect(flawsOf(await send(port, lines))).toEqual([])
      }
    }
    // The token reached the wrong host and isn't used up.
    expect((await send(port, [`GET /?${token} HTTP/1.1`, `Host: ${own}`])).status).toBe(303)
  })

  test('rejects a request target with a host', async () => {
    const cookie = await app.signIn()
    for (const target of [`http://${own}/`, 'http://evil.test/', '*'])
      expect(
        flawsOf(
          await send(port, [`OPTIONS ${target} HTTP/1.1`, `Host: ${own}`, `Cookie: ${cookie}`]),
        ),
      ).toEqual([])
    expect(
      flawsOf(
        await send(port, [`GET http://${own}/ HTTP/1.1`, `Host: ${own}`, `Cookie: ${cookie}`]),
      ),
    ).toEqual([])
  })

  test("requests over HTTP/1.0 without a host are rejected, and an Expect header doesn't bypass the check", async () => {
    expect(flawsOf(await send(port, ['GET / HTTP/1.0']))).toEqual([])
    expect(
      flawsOf(await send(port, ['GET / HTTP/1.1', 'Host: evil.test', 'Expect: 100-continue'])),
    ).toEqual([])
    expect(
      flawsOf(await send(port, ['GET / HTTP/1.1', 'Host: evil.test', 'Expect: something'])),
    ).toEqual([])
  })

  test.each([() => own, () => `localhost:${port}`])('our own hosts are accepted', async (host) => {
    const cookie = await app.signIn()
    const answer = await send(port, ['GET / HTTP/1.1', `Host: ${host()}`, `Cookie: ${cookie}`])
    expect(answer.status).toBe(200)
    expect(answer.body).toContain(CANARY)
  })

  test('allowed hosts are accepted by name, only on that port', async () => {
    const forwarded = await startTestHost({
      allowedHosts: ['build.example:9000', 'proxy.example:443'],
    })
    try {
      const cookie = await forwarded.signIn()
      const ask = async (host: string) =>
        (await send(forwarded.host.port, ['GET / HTTP/1.1', `Host: ${host}`, `Cookie: ${cookie}`]))
          .status
      expect(await ask('build.example:9000')).toBe(200)
      expect(await ask('proxy.example')).toBe(200)
      expect(await ask('build.example:9001')).toBe(403)
      expect(await ask('build.example')).toBe(403)
      expect(await ask('other.example:9000')).toBe(403)
    } finally {
      await forwarded.host.close()
    }
  })

  test('with IPv6 loopback bound, uses that address', async () => {
    const app6 = await startTestHost({ bind: '::1' })
    try {
      expect(app6.host.origin).toBe(`http://[::1]:${app6.host.port}`)
      const ask = (host: string) => send(app6.host.port, ['GET / HTTP/1.1', `Host: ${host}`], '::1')
      expect((await ask(`[::1]:${app6.host.port}`)).body).toContain('countersign open')
      expect((await ask(`127.0.0.1:${app6.host.port}`)).body).not.toContain('countersign open')
    } finally {
      await app6.host.close()
    }
  })

  test.each([
    '',
    'name',
    'name:',
    'name:0',
    'name:70000',
    ':80',
    'na me:80',
    'http://name:80',
    '[zz]:80',
    '*:80',
  ])('an invalid allowed host is rejected at startup: %j', async (host) => {
    await expect(startTestHost({ allowedHosts: [host] })).rejects.toThrow(/--allow-ui-host/)
  })
})

describe('without a session', () => {
  test('every route and every other path rejects all methods', async () => {
    expect(app.host.routes.length).toBe(testBundle.size + 1)
    const paths = [
      ...app.host.routes.map(({ path }) => path),
      '/rpc',
      '/favicon.ico',
      '/api',
      '/assets/',
      '/../package.json',
      '/%2e%2e/x',
    ]
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        const answer = await send(port, [
          `${method} ${path} HTTP/1.1`,
          `Host: ${own}`,
          `Origin: http://${own}`,
          'x-countersign: 1',
        ])
        expect(flawsOf(answer)).toEqual([])
      }
    }
  })

  test('the page says what to do', async () => {
    const answer = await send(port, ['GET / HTTP/1.1', `Host: ${own}`])
    expect(headerOf(answer, 'content-type')).toBe('text/html; charset=utf-8')
    expect(answer.body).toContain('countersign open')
    expect(answer.body).not.toContain('location')
  })

  test("an invented cookie isn't a session", async () => {
    const cookie = await app.signIn()
    const [name = '', value = ''] = cookie.split('=')
    for (const wrong of [
      '',
      'x',
      `${value}x`,
      value.slice(1),
      value.toUpperCase(),
      `${value.slice(0, -1)}é`,
    ]) {
      expect(
        flawsOf(await send(port, ['GET / HTTP/1.1', `Host: ${own}`, `Cookie: ${name}=${wrong}`])),
      ).toEqual([])
    }
    expect(
      flawsOf(await send(port, ['GET / HTTP/1.1', `Host: ${own}`, `Cookie: countersign=${value}`])),
    ).toEqual([])
  })

  test('a visitor from another site is redirected here once', async () => {
    const led = [
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Mode: navigate',
      'Sec-Fetch-Dest: document',
    ]
    const answer = await send(port, ['GET / HTTP/1.1', `Host: ${own}`, ...led])
    expect(flawsOf(answer)).toEqual([])
    expect(answer.body).toContain("location.replace('/index.html'+location.hash)")
    const again = await send(port, [
      'GET / HTTP/1.1',
      `Host: ${own}`,
      'Sec-Fetch-Site: same-origin',
      ...led.slice(1),
    ])
    expect(flawsOf(again)).toEqual([])
    expect(again.body).not.toContain('location')
  })
})

describe('the one-time URL', () => {
  test('sets a strict cookie named after the port, and removes the token from the URL', async () => {
    const answer = await send(port, [
      `GET /${new URL(app.host.issueAddress(60_000)).search} HTTP/1.1`,
      `Host: ${own}`,
    ])
    expect(answer.status).toBe(303)
    expect(headerOf(answer, 'location')).toBe('/')
    expect(headerOf(answer, 'referrer-policy')).toBe('no-referrer')
    expect(headerOf(answer, 'cache-control')).toBe('no-store')
    expect(headerOf(answer, 'set-cookie')).toMatch(
      new RegExp(`^countersign-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    )
    expect(answer.body).toBe('')
  })

  test('expires', async () => {
    const { search } = new URL(app.host.issueAddress(60_000))
    app.pass(60_000)
    expect(flawsOf(await send(port, [`GET /${search} HTTP/1.1`, `Host: ${own}`]))).toEqual([])
  })

  test('is useless with a token that is shorter, longer, wrong, empty or repeated', async () => {
    const { search } = new URL(app.host.issueAddress(60_000))
    for (const wrong of [
      '?token=',
      '?token=x',
      `?token=${'A'.repeat(43)}`,
      `?token=${'%C3%A9'.repeat(43)}`,
      `${search}x`,
      `?token=${'A'.repeat(10_000)}`,
      `?token=&${search.slice(1)}`,
    ])
      expect(flawsOf(await send(port, [`GET /${wrong} HTTP/1.1`, `Host: ${own}`]))).toEqual([])
    expect(
      flawsOf(await send(port, [`GET /index.html${search} HTTP/1.1`, `Host: ${own}`])),
    ).toEqual([])
    expect(
      flawsOf(await send(port, [`POST /${search} HTTP/1.1`, `Host: ${own}`, 'Content-Length: 0'])),
    ).toEqual([])
    expect((await send(port, [`GET /${search} HTTP/1.1`, `Host: ${own}`])).status).toBe(303)
    expect(flawsOf(await send(port, [`GET /${search} HTTP/1.1`, `Host: ${own}`]))).toEqual([])
  })
})

describe('the session', () => {
  test('serves each file of the bundle with its type, and no other file', async () => {
    const cookie = await app.signIn()
    const ask = (path: string, method = 'GET') =>
      send(port, [`${method} ${path} HTTP/1.1`, `Host: ${own}`, `Cookie: ${cookie}`])
    for (const [path, file] of testBundle) {
      const answer = await ask(path)
      expect(answer.status).toBe(200)
      expect(answer.body).toBe(Buffer.from(file.bytes).toString())
      expect(headerOf(answer, 'content-type')).toBe(file.type)
    }
    expect((await ask('/', 'HEAD')).body).toBe('')
    for (const path of [
      '/manifest.json',
      '/assets',
      '/assets/../index.html',
      '/%2findex.html',
      '//index.html',
      '/INDEX.HTML',
      '/rpc',
    ])
      expect((await ask(path)).status).toBe(404)
    expect((await ask('/', 'DELETE')).status).toBe(405)
    expect((await ask('/session')).status).toBe(405)
  })

  test("isn't valid for another port or site, although the browser sends the cookie", async () => {
    const cookie = await app.signIn()
    const lines = (site: string, ...more: string[]) => [
      `GET /assets/app.js HTTP/1.1`,
      `Host: ${own}`,
      `Cookie: ${cookie}`,
      `Sec-Fetch-Site: ${site}`,
      ...more,
    ]
    expect((await send(port, lines('same-origin'))).status).toBe(200)
    expect(
      flawsOf(
        await send(port, lines('same-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: script')),
      ),
    ).toEqual([])
    expect(
      flawsOf(
        await send(port, lines('cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe')),
      ),
    ).toEqual([])
  })

  test('every response has the content policy, but no CORS headers', async () => {
    const cookie = await app.signIn()
    const requests = [
      ['GET / HTTP/1.1', `Host: ${own}`, `Cookie: ${cookie}`],
      ['GET /assets/app.js HTTP/1.1', `Host: ${own}`, `Cookie: ${cookie}`],
      ['GET /nothing HTTP/1.1', `Host: ${own}`, `Cookie: ${cookie}`],
      ['GET / HTTP/1.1', `Host: ${own}`],
      ['GET / HTTP/1.1', 'Host: evil.test'],
      [`GET /${new URL(app.host.issueAddress(60_000)).search} HTTP/1.1`, `Host: ${own}`],
      [
        'POST /session HTTP/1.1',
        `Host: ${own}`,
        `Cookie: ${cookie}`,
        `Origin: http://${own}`,
        'x-countersign: 1',
        'Content-Length: 0',
      ],
      [
        'OPTIONS /session HTTP/1.1',
        `Host: ${own}`,
        `Cookie: ${cookie}`,
        'Origin: http://evil.test',
        'Access-Control-Request-Method: POST',
      ],
    ]
    for (const lines of requests) {
      const answer = await send(port, lines)
      // A page without a session has its own style, and allows only that.
      const policy = headerOf(answer, 'content-security-policy')
      expect(policy?.replaceAll(/'sha256-[^']+'/g, "'self'")).toBe(CONTENT_SECURITY_POLICY)
      expect(headerOf(answer, 'x-content-type-options')).toBe('nosniff')
      expect(headerOf(answer, 'x-frame-options')).toBe('DENY')
      expect(headerOf(answer, 'cross-origin-opener-policy')).toBe('same-origin')
      expect(headerOf(answer, 'cross-origin-resource-policy')).toBe('same-origin')
      expect(headerOf(answer, 'referrer-policy')).toBe('no-referrer')
      expect(answer.headers.filter(([name]) => /^access-control/i.test(name))).toEqual([])
    }
  })
})

describe('the ticket', () => {
  const right = () => ({
    Host: own,
    Origin: `http://${own}`,
    'x-countersign': CLIENT_NONCE,
    'Content-Length': '0',
  })

  async function ask(cookie: string, given: Record<string, string | null>) {
    const headers = Object.entries({ ...right(), Cookie: cookie, ...given }).flatMap(
      ([name, value]) => (value === null ? [] : [`${name}: ${value}`]),
    )
    return send(port, ['POST /session HTTP/1.1', ...headers])
  }

  test("the app's page gets a challenge with the server's proof that it knows the key's digest", async () => {
    const cookie = await app.signIn()
    const accepted: Record<string, string>[] = [
      {},
      { 'Sec-Fetch-Site': 'same-origin' },
      { Host: `localhost:${port}`, Origin: `http://localhost:${port}` },
    ]
    for (const given of accepted) {
      const answer = await ask(cookie, given)
      expect(answer.status).toBe(200)
      const { nonce = '', ...rest } = JSON.parse(answer.body) as Record<string, string>
      expect(nonce).toMatch(/^[\w-]{43}$/)
      const origin = given['Origin'] ?? `http://${own}`
      expect(rest).toEqual({ proof: prove(app.keyOf(cookie), 'server', origin, nonce) })
    }
  })

  test.each<[string, (port: number) => Record<string, string | null>]>([
    ['the cookie only', () => ({ Origin: null, 'x-countersign': null })],
    ['no header of ours', () => ({ 'x-countersign': null })],
    ['no nonce', () => ({ 'x-countersign': '1' })],
    ['two nonces', () => ({ 'x-countersign': `${CLIENT_NONCE}, ${CLIENT_NONCE}` })],
    ['no Origin', () => ({ Origin: null })],
    ['Origin null', () => ({ Origin: 'null' })],
    ['a foreign Origin', () => ({ Origin: 'http://evil.test' })],
    ['another port', () => ({ Origin: 'http://127.0.0.1:1' })],
    ['our other host name', (p) => ({ Origin: `http://localhost:${p}` })],
    ['https instead of http', (p) => ({ Origin: `https://127.0.0.1:${p}` })],
    ['another port, according to the browser', () => ({ 'Sec-Fetch-Site': 'same-site' })],
    ['another site, according to the browser', () => ({ 'Sec-Fetch-Site': 'cross-site' })],
    ['no cookie', () => ({ Cookie: null })],
  ])("isn't given to %s", async (_name, given) => {
    expect(flawsOf(await ask(await app.signIn(), given(port)))).toEqual([])
  })
})

describe('the WebSocket', () => {
  const cases: [string, (ticket: string, port: number) => Record<string, string | null>][] = [
    ['no Origin', () => ({ Origin: null })],
    ['Origin null', () => ({ Origin: 'null' })],
    ['a foreign Origin', () => ({ Origin: 'http://evil.test' })],
    ['the right host on a wrong port', () => ({ Origin: 'http://127.0.0.1:1' })],
    ['https instead of http', (_ticket, p) => ({ Origin: `https://127.0.0.1:${p}` })],
    ['a wrong Host', () => ({ Host: 'evil.test' })],
    ['no ticket', () => ({ 'Sec-WebSocket-Protocol': 'countersign' })],
    ['no protocol at all', () => ({ 'Sec-WebSocket-Protocol': null })],
    [
      'a ticket of the same length',
      (ticket) => ({
        'Sec-WebSocket-Protocol': `countersign, ticket.${'A'.repeat(ticket.length)}`,
      }),
    ],
    [
      'a longer ticket',
      (ticket) => ({ 'Sec-WebSocket-Protocol': `countersign, ticket.${ticket}A` }),
    ],
    [
      'the ticket first',
      (ticket) => ({ 'Sec-WebSocket-Protocol': `ticket.${ticket}, countersign` }),
    ],
    ['no cookie', () => ({ Cookie: null })],
    ['the cookie of nobody', (_ticket, p) => ({ Cookie: `countersign-${p}=${'A'.repeat(43)}` })],
  ]

  test.each(cases)('rejects %s', async (_name, given) => {
    const cookie = await app.signIn()
    const ticket = await app.ticket(cookie)
    const before = app.core.connections
    const answer = await upgrade(port, {
      Cookie: cookie,
      'Sec-WebSocket-Protocol': `countersign, ticket.${ticket}`,
      ...given(ticket, port),
    })
    expect(flawsOf(answer)).toEqual([])
    expect(headerOf(answer, 'content-security-policy')).toBe(CONTENT_SECURITY_POLICY)
    expect(app.core.connections).toBe(before)
  })

  test("rejects what a program with the cookie can compute, which isn't a ticket", async () => {
    const cookie = await app.signIn()
    const otherKey = app.keyOf(await app.signIn())
    const lines = [
      'POST /session HTTP/1.1',
      `Host: ${own}`,
      `Origin: http://${own}`,
      `Cookie: ${cookie}`,
      `x-countersign: ${CLIENT_NONCE}`,
      'Content-Length: 0',
    ]
    const { body } = await send(port, lines)
    const { nonce = '', proof = '' } = JSON.parse(body) as Record<string, string>
    const origins = [`http://${own}`, `http://localhost:${port}`]
    const [here = '', elsewhere = ''] = origins
    for (const ticket of [
      nonce,
      proof,
      cookie.split('=')[1],
      otherKey,
      prove(cookie.split('=')[1] ?? '', 'client', here, nonce),
      prove(otherKey, 'client', here, nonce),
      prove(app.keyOf(cookie), 'server', here, nonce),
      prove(app.keyOf(cookie), 'client', elsewhere, nonce),
      prove(app.keyOf(cookie), 'client', here, CLIENT_NONCE),
    ]) {
      const protocols = `countersign, ticket.${ticket}`
      const answer = await upgrade(port, { Cookie: cookie, 'Sec-WebSocket-Protocol': protocols })
      expect(flawsOf(answer)).toEqual([])
    }
    // The key itself is for pages without cryptography.
    for (const ticket of [prove(app.keyOf(cookie), 'client', here, nonce), app.keyOf(cookie)]) {
      const protocols = `countersign, ticket.${ticket}`
      const answer = await upgrade(port, { Cookie: cookie, 'Sec-WebSocket-Protocol': protocols })
      expect(answer.status).toBe(101)
    }
  })

  test('ends when its browser is signed out, as do its cookie and tickets; the kept one stays', async () => {
    const [kept, gone] = [await app.signIn(), await app.signIn()]
    const open = async (cookie: string) => {
      const protocols = ['countersign', `ticket.${await app.ticket(cookie)}`]
      const headers = { Cookie: cookie, Origin: `http://${own}` }
      const socket = new WebSocket(`ws://${own}/rpc`, protocols, { headers })
      await once(socket, 'open')
      return socket
    }
    const [stays, ends] = [await open(kept), await open(gone)]
    const late = await app.ticket(gone)
    const closed = once(ends, 'close')
    const { sessions } = app.core
    app.host.signOut(sessions.at(-2) ?? '')
    await closed
    const headers = { Cookie: gone, 'Sec-WebSocket-Protocol': `countersign, ticket.${late}` }
    expect(flawsOf(await upgrade(port, headers))).toEqual([])
    const page = (cookie: string) => [`GET / HTTP/1.1`, `Host: ${own}`, `Cookie: ${cookie}`]
    expect((await send(port, page(gone))).status).toBe(403)
    expect((await send(port, page(kept))).status).toBe(200)
    stays.send('still here')
    await once(stays, 'message')
    stays.close()
    await once(stays, 'close')
  })

  test('rejects a ticket of another session, and one that is used or expired', async () => {
    const cookie = await app.signIn()
    const withTicket = (ticket: string, as = cookie) =>
      upgrade(port, { Cookie: as, 'Sec-WebSocket-Protocol': `countersign, ticket.${ticket}` })
    const stolen = await app.ticket(cookie)
    expect(flawsOf(await withTicket(stolen, await app.signIn()))).toEqual([])
    // Another session uses it up.
    expect(flawsOf(await withTicket(stolen))).toEqual([])
    const used = await app.ticket(cookie)
    expect((await withTicket(used)).status).toBe(101)
    expect(flawsOf(await withTicket(used))).toEqual([])
    const late = await app.ticket(cookie)
    app.pass(30_000)
    expect(flawsOf(await withTicket(late))).toEqual([])
  })

  test('opens only for a valid request, and only accepts our protocol', async () => {
    const cookie = await app.signIn()
    const before = app.core.connections
    const ticket = await app.ticket(cookie)
    const answer = await upgrade(port, {
      Cookie: cookie,
      'Sec-WebSocket-Protocol': `countersign, ticket.${ticket}`,
    })
    expect(answer.status).toBe(101)
    expect(headerOf(answer, 'sec-websocket-protocol')).toBe('countersign')
    expect(app.core.connections).toBe(before + 1)
  })

  test('a message over the limit closes its own connection, and reaches nobody', async () => {
    const cookie = await app.signIn()
    const open = async () => {
      const headers = { Cookie: cookie, Origin: `http://${own}` }
      const socket = new WebSocket(
        `ws://${own}/rpc`,
        ['countersign', `ticket.${await app.ticket(cookie)}`],
        { headers },
      )
      await once(socket, 'open')
      return socket
    }
    const [large, small] = [await open(), await open()]
    large.send('x'.repeat(16 * 1_048_576 + 1))
    const [code] = (await once(large, 'close')) as [number]
    expect(code).toBe(1009)
    small.send('still here')
    const [answer] = (await once(small, 'message')) as [Buffer]
    expect(answer.toString()).toBe(`${CANARY}: still here`)
    expect(app.core.messages.filter((text) => text.startsWith('xx'))).toEqual([])
    small.close()
    await once(small, 'close')
  })
})
