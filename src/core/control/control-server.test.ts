import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Transport } from '../../shared/rpc/transport.ts'
import { proofOf } from '../base/proof.ts'
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
    socket.on('error', () => {})
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
  const proofFor = (token: string, end: 'client' | 'server', url: string) =>
    `Proof ${NONCE}.${proofOf(token, end, url, NONCE)}`

  test.each<[string, () => string, string?]>([
    ['with another token', () => proofFor('other', 'client', server.url)],
    ['of the server', () => proofFor(server.token, 'server', server.url)],
    ['for another port', () => proofFor(server.token, 'client', 'ws://127.0.0.1:1')],
    ['cut short', () => proofFor(server.token, 'client', server.url).slice(0, -1)],
    ['without a nonce', () => `Proof .${proofOf(server.token, 'client', server.url, '')}`],
    ['from a page', () => proofFor(server.token, 'client', server.url), 'http://127.0.0.1:4780'],
  ])('rejects a proof %s with 403', async (_name, authorization, origin) => {
    const headers = { authorization: authorization(), ...(origin !== undefined && { origin }) }
    expect(await upgrade(headers)).toBe(403)
    expect(connected).toEqual([])
  })

  test('proves to a client with a proof, before anything else, that it knows the token too', async () => {
    const authorization = proofFor(server.token, 'client', server.url)
    const socket = new WebSocket(server.url, { headers: { authorization } })
    socket.once('open', () => socket.send('hello'))
    const messages: string[] = []
    socket.on('message', (data: Buffer) => messages.push(data.toString()))
    await expect.poll(() => messages).toHaveLength(2)
    expect(messages).toEqual([proofOf(server.token, 'server', server.url, NONCE), 'heard hello'])
    socket.close()
    await expect.poll(() => ended).toBe(1)
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
