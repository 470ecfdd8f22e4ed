import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Transport } from '../../shared/rpc/transport.ts'
import { proofOf } from '../base/proof.ts'
import { NONCE_HEADER } from './connect.ts'
import { startControlServer, type ControlServer } from './control-server.ts'

let server: ControlServer
let connected: Transport[]
let ended: number
beforeEach(async () => {
  connected = []
  ended = 0
  server = await startControlServer(
    (count) => randomBytes(count),
    (transport) => {
      connected.push(transport)
      transport.onMessage((text) => {
        transport.send(`heard ${text}`)
      })
      return () => ended++
    },
  )
})
afterEach(() => server.close())

/** The HTTP status of the upgrade: 101 if accepted. */
function upgrade(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(server.url, { headers })
    socket.once('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0)
      socket.terminate()
    })
    socket.once('open', () => {
      resolve(101)
      socket.terminate()
    })
    socket.on('error', () => {
      // The status says everything.
    })
  })
}

describe('the control channel', () => {
  test('serves clients with the token', async () => {
    const socket = new WebSocket(server.url, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    const answer = await new Promise<string>((resolve) => {
      socket.on('open', () => {
        socket.send('hello')
      })
      socket.on('message', (data: Buffer) => {
        resolve(data.toString())
      })
    })
    expect(answer).toBe('heard hello')
    socket.close()
    await expect.poll(() => ended).toBe(1)
  })

  test.each([
    ['no token', () => ({})],
    ['a wrong token', () => ({ authorization: `Bearer ${'a'.repeat(43)}` })],
    ['part of the token', () => ({ authorization: `Bearer ${server.token.slice(0, -1)}` })],
    ['the token without its scheme', () => ({ authorization: server.token })],
    [
      'the token from a page in a browser',
      () => ({ authorization: `Bearer ${server.token}`, origin: 'https://evil.example' }),
    ],
    [
      'the token from a page that calls itself null',
      () => ({ authorization: `Bearer ${server.token}`, origin: 'null' }),
    ],
  ])('rejects %s with 403', async (_name, headers) => {
    expect(await upgrade(headers())).toBe(403)
    expect(connected).toEqual([])
  })

  const NONCE = 'N'.repeat(43)

  test.each<[string, Record<string, string>]>([
    ['a nonce that is too short', { [NONCE_HEADER]: 'short' }],
    ['a nonce and a wrong token', { [NONCE_HEADER]: NONCE, authorization: 'Bearer x' }],
    ['a nonce from a page', { [NONCE_HEADER]: NONCE, origin: 'http://127.0.0.1:4780' }],
  ])('rejects %s with 403', async (_name, headers) => {
    expect(await upgrade(headers)).toBe(403)
  })

  /** Sends `answer` to the server's challenge, and a command after it; resolves when the server closes the connection. */
  async function answerChallenge(answer: (serverNonce: string, proof: string) => string) {
    const socket = new WebSocket(server.url, { headers: { [NONCE_HEADER]: NONCE } })
    await new Promise<void>((resolve) => {
      socket.once('message', (data: Buffer) => {
        const [serverNonce = '', proof = ''] = data.toString().split('.')
        socket.send(answer(serverNonce, proof))
        socket.send('a command')
      })
      socket.once('close', () => resolve())
    })
  }

  test.each<[string, (serverNonce: string, proof: string) => string]>([
    ['no proof', () => ''],
    ["the server's own proof", (_nonce, proof) => proof],
    ['the token itself', () => server.token],
    ['a proof with another token', (n) => proofOf('other', 'client', server.url, [NONCE, n])],
    [
      'a proof for another port',
      (n) => proofOf(server.token, 'client', 'ws://127.0.0.1:1', [NONCE, n]),
    ],
    [
      'a proof of another connection',
      () => proofOf(server.token, 'client', server.url, [NONCE, NONCE]),
    ],
  ])('a client with %s reaches nothing', async (_name, answer) => {
    await answerChallenge(answer)
    expect(connected).toEqual([])
  })

  test('a client that sends much instead of a proof is disconnected sooner than a silent one', async () => {
    const open = () => new WebSocket(server.url, { headers: { [NONCE_HEADER]: NONCE } })
    const closed = (socket: WebSocket, name: string) =>
      new Promise<string>((resolve) => {
        socket.once('close', () => resolve(name))
      })
    const silent = open()
    await new Promise((resolve) => silent.once('message', resolve))
    const sending = open()
    sending.once('open', () => sending.send('x'.repeat(1_048_576), { fin: false }))
    const first = await Promise.race([closed(silent, 'silent'), closed(sending, 'sending')])
    expect(first).toBe('sending')
  })

  test('serves no plain HTTP, with or without the token', async () => {
    const statuses = await Promise.all(
      ['GET', 'POST'].flatMap((method) =>
        ['/', '/instance.json', '/../x'].map(
          (path) =>
            new Promise<number>((resolve, reject) => {
              const { port } = new URL(server.url)
              request(
                {
                  host: '127.0.0.1',
                  port,
                  path,
                  method,
                  headers: { authorization: `Bearer ${server.token}` },
                },
                (response) => {
                  response.resume()
                  resolve(response.statusCode ?? 0)
                },
              )
                .on('error', reject)
                .end()
            }),
        ),
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([403]))
  })

  test("listens on loopback only, with a token that can't be guessed", () => {
    expect(server.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/)
    expect(Buffer.from(server.token, 'base64url')).toHaveLength(32)
  })

  test('closes its connections when it closes', async () => {
    const socket = new WebSocket(server.url, {
      headers: { authorization: `Bearer ${server.token}` },
    })
    await new Promise((resolve) => socket.once('open', resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await server.close()
    await closed
    expect(ended).toBe(1)
  })
})
