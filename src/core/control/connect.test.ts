import { randomBytes } from 'node:crypto'
import { symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect as connectTcp, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import { listen } from '../../../test/support/listen.ts'
import { closeAtEnd, temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { proofOf } from '../base/proof.ts'
import { lockFolder } from '../store/folder-lock.ts'
import { isResponding, connectToInstance } from './connect.ts'
import { startControlServer } from './control-server.ts'
import { reserveInstance } from './instance-file.ts'

const silent = () => Promise.resolve(false)

async function startServer(onConnected: () => void = () => undefined) {
  const server = await startControlServer(
    (count) => randomBytes(count),
    (transport) => {
      onConnected()
      return transport.onMessage(() => undefined)
    },
  )
  closeAtEnd(server.close)
  return server
}

/** Starts a program that listens on a port and records every byte. */
async function startStranger(onConnection: (socket: Socket) => void = () => undefined) {
  const sockets = new Set<Socket>()
  let received = ''
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('data', (data) => (received += data.toString('latin1')))
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  const port = await listen(server)
  closeAtEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `ws://127.0.0.1:${port}`,
    server,
    connections: () => sockets.size,
    received: () => received,
  }
}

/** Creates an instance of this process that is about to serve its own folder. */
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
  // A suspended process: the system accepts the connection, but nothing answers.
  const { url } = await startStranger()
  const control = { url, token: 'token' }
  const held = await reserveInstance(folder, instance, silent)
  await held.publish({ ...instance, control })
  await expect(connectToInstance(folder, { connectMs: 50 })).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
    message: expect.stringContaining(`Process ${process.pid} serves`),
  })
  expect(await isResponding({ ...instance, control }, { connectMs: 50 })).toBe(true)
})

test("an instance whose file was changed isn't ignored, and an ended instance doesn't count", async () => {
  const { folder, instance } = startingInstance()
  const server = await startServer()
  const held = await reserveInstance(folder, instance, silent)
  await held.publish({ ...instance, control: { url: server.url, token: 'altered' } })
  await expect(connectToInstance(folder, { endingMs: 50 })).rejects.toMatchObject({
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
  const held = await reserveInstance(folder, instance, silent)
  const server = await startServer()
  const connecting = connectToInstance(folder)
  await expect(Promise.race([connecting, delay(100, 'not yet')])).resolves.toBe('not yet')
  await held.publish({ ...instance, control: { url: server.url, token: server.token } })
  const connection = await connecting
  expect(connection).not.toBe(null)
  connection?.close()
  await connection?.closed
})

test("a file left by a crash, or of a folder from elsewhere, doesn't lead to its port", async () => {
  const { folder, instance } = startingInstance()
  const { url, connections } = await startStranger()
  const planted = JSON.stringify({ ...instance, control: { url, token: 'token' } })
  writeFileSync(join(folder, 'instance.json'), planted)
  expect(await connectToInstance(folder)).toBe(null)
  // A start doesn't connect to it either, although its process ID is in use.
  const held = await reserveInstance(folder, instance, isResponding)
  await held.release()
  // A start that never ends, because it began in the future.
  writeFileSync(
    join(folder, 'instance.json'),
    JSON.stringify({ ...instance, startedAt: '2999-01-01T00:00:00.000Z' }),
  )
  expect(await connectToInstance(folder)).toBe(null)
  // Not even while a process holds its lock.
  const unlock = lockFolder(folder)
  await expect(connectToInstance(folder, { endingMs: 50 })).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
  })
  unlock?.()
  // The lock of a folder that is served.
  const served = startingInstance()
  const other = await reserveInstance(served.folder, served.instance, silent)
  const linked = temporaryFolder()
  symlinkSync(join(served.folder, 'instance.lock'), join(linked, 'instance.lock'))
  writeFileSync(join(linked, 'instance.json'), planted)
  expect(await connectToInstance(linked)).toBe(null)
  await other.release()
  expect(connections()).toBe(0)
})

/** Serves WebSockets like a program that took the port. */
function acceptWebSockets(
  { server }: Awaited<ReturnType<typeof startStranger>>,
  onOpen: (socket: WebSocket, nonce: string) => void,
) {
  const sockets = new WebSocketServer({ noServer: true, autoPong: false })
  const http = createHttpServer()
  http.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (opened) =>
      onOpen(opened, /^Proof (.{43})\./.exec(request.headers.authorization ?? '')?.[1] ?? ''),
    )
  })
  server.on('connection', (socket) => http.emit('connection', socket))
}

const TOKEN = 'T'.repeat(43)

test.each<[string, (nonce: string, url: string) => string]>([
  ['an invented proof', () => 'A'.repeat(43)],
  ["the client's own proof", (nonce, url) => proofOf(TOKEN, 'client', url, nonce)],
  ['a response to a call', () => '{"kind":"response","id":1,"ok":true,"output":{}}'],
  ['a long message', () => 'x'.repeat(1_048_576)],
])('a program on the port that sends %s gets neither token nor command', async (_name, answer) => {
  const { folder, instance } = startingInstance()
  const stranger = await startStranger()
  const messages: string[] = []
  acceptWebSockets(stranger, (socket, nonce) => {
    socket.on('message', (data: Buffer) => messages.push(data.toString()))
    socket.send(answer(nonce, stranger.url))
  })
  const held = await reserveInstance(folder, instance, silent)
  await held.publish({ ...instance, control: { url: stranger.url, token: TOKEN } })
  await expect(connectToInstance(folder, { endingMs: 50 })).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
  })
  expect(stranger.connections()).toBeGreaterThan(0)
  expect(messages).toEqual([])
  expect(stranger.received()).not.toContain(TOKEN)
  await held.release()
})

test('a program on the port that closes every connection late ends no later than one that is ending', async () => {
  const { folder, instance } = startingInstance()
  const stranger = await startStranger((socket) => setTimeout(() => socket.destroy(), 60))
  const unlock = lockFolder(folder)
  const planted = { ...instance, control: { url: stranger.url, token: TOKEN } }
  writeFileSync(join(folder, 'instance.json'), JSON.stringify(planted))
  const already = { code: 'ALREADY_RUNNING' }
  await expect(connectToInstance(folder, { endingMs: 50 })).rejects.toMatchObject(already)
  await expect(reserveInstance(folder, instance, isResponding, 50)).rejects.toMatchObject(already)
  expect(stranger.connections()).toBe(3)
  unlock?.()
})

test("a program that passes the connection on to the real port doesn't get in between", async () => {
  const { folder, instance } = startingInstance()
  let reached = 0
  const real = await startServer(() => reached++)
  const stranger = await startStranger((socket) => {
    const onward = connectTcp(Number(new URL(real.url).port), '127.0.0.1')
    onward.on('error', () => undefined)
    socket.pipe(onward).pipe(socket)
  })
  const held = await reserveInstance(folder, instance, silent)
  await held.publish({ ...instance, control: { url: stranger.url, token: real.token } })
  await expect(connectToInstance(folder, { endingMs: 50 })).rejects.toMatchObject({
    code: 'ALREADY_RUNNING',
  })
  expect(stranger.connections()).toBeGreaterThan(0)
  expect(reached).toBe(0)
  await held.release()
})

test('a connection ends if its process stops responding, but not during a long command', async () => {
  const { folder, instance } = startingInstance()
  const stranger = await startStranger()
  const sockets: WebSocket[] = []
  // Proves the token and answers no heartbeat, like a process suspended since.
  acceptWebSockets(stranger, (socket, nonce) => {
    sockets.push(socket)
    socket.send(proofOf(TOKEN, 'server', stranger.url, nonce))
  })
  const held = await reserveInstance(folder, instance, silent)
  await held.publish({ ...instance, control: { url: stranger.url, token: TOKEN } })
  const hanging = await connectToInstance(folder, { heartbeatMs: 1 })
  await expect(hanging?.client.call('app.status', {})).rejects.toMatchObject({
    code: 'DISCONNECTED',
    message: `Process ${process.pid} serves ${folder} but doesn't respond. If it is suspended, resume it ("fg" in its shell), or end it. Then try again.`,
  })
  await hanging?.closed

  const server = await startServer()
  await held.publish({ ...instance, control: { url: server.url, token: server.token } })
  const connection = await connectToInstance(folder, { heartbeatMs: 1 })
  const call = connection?.client.call('app.status', {})
  const outcome = await Promise.race([call?.catch(() => 'cut'), delay(100, 'still running')])
  expect(outcome).toBe('still running')
  connection?.close()
  await connection?.closed
  await expect(call).rejects.toMatchObject({ message: 'Countersign has stopped.' })
  await held.release()
})
