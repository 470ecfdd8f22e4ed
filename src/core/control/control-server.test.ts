import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import { isResponding, connectToInstance } from './connect.ts'
import { startControlServer, type ControlServer } from './control-server.ts'
import { holdInstance } from './instance-file.ts'

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

/** An instance of this process that is about to serve its own folder. */
function startingInstance() {
  const folder = temporaryFolder()
  const instance = {
    pid: process.pid,
    version: '1.0.0',
    host: 'loopback',
    startedAt: new Date().toISOString(),
    control: null,
    receiver: null,
    sandbox: null,
    ca: '/ca.pem',
    data: folder,
  } as const
  return { folder, instance }
}

test("an instance that doesn't respond is neither ignored nor replaced", async () => {
  const { folder, instance } = startingInstance()
  // Like a suspended process: the system accepts the connection, but nothing reads from it.
  const silent = createServer()
  const taken = new Set<Socket>()
  silent.on('connection', (socket) => taken.add(socket))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => {
    for (const socket of taken) socket.destroy()
    silent.close()
  })
  const control = {
    url: `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    token: 'token',
  }
  const held = await holdInstance(folder, instance, () => Promise.resolve(false))
  await held.publish({ ...instance, control })
  await expect(connectToInstance(folder, 50)).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
    message: expect.stringContaining(`Process ${process.pid} serves`),
  })
  expect(await isResponding({ ...instance, control }, 50)).toBe(true)
})

test("an instance whose file was changed isn't ignored, and an ended instance doesn't count", async () => {
  const { folder, instance } = startingInstance()
  const held = await holdInstance(folder, instance, () => Promise.resolve(false))
  await held.publish({ ...instance, control: { url: server.url, token: 'altered' } })
  await expect(connectToInstance(folder, 50)).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
    message: expect.stringContaining(
      `process ${process.pid}, but its instance.json was changed or removed`,
    ),
  })
  setTimeout(() => void held.release(), 100)
  expect(await connectToInstance(folder)).toBe(null)
})

test('a starting instance is waited for', async () => {
  const { folder, instance } = startingInstance()
  const held = await holdInstance(folder, instance, () => Promise.resolve(false))
  const connecting = connectToInstance(folder)
  await expect(Promise.race([connecting, delay(100, 'not yet')])).resolves.toBe('not yet')
  await held.publish({ ...instance, control: { url: server.url, token: server.token } })
  const connection = await connecting
  expect(connection?.instance.control?.token).toBe(server.token)
  connection?.close()
  await connection?.closed
})

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
