/**
 * A client that stops reading, like a suspended command: what piles up for it is bounded, and it
 * loads its snapshot again.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { RpcClient } from '../../src/shared/rpc/client.ts'
import { webSocketTransport } from '../../src/shared/rpc/web-socket-transport.ts'
import { times } from '../support/long-form.ts'
import { createStage } from './stage.ts'
import type { Wires } from './wires.ts'

const MIB = 1_048_576
/** More than the kernel keeps for a reader, and the bound. */
const EVENTS = times(40, 4_000)

let server: WebSocketServer
beforeEach(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  await once(server, 'listening')
})
afterEach(() => {
  for (const socket of server.clients) socket.terminate()
  server.close()
})

/** Connects a client on a socket, whose core's end is at hand too. */
async function connect() {
  const accepted = once(server, 'connection') as Promise<[WebSocket]>
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [[coreSocket]] = await Promise.all([accepted, once(socket, 'open')])
  const caller = webSocketTransport(socket)
  const wires: Wires = {
    open: async () => ({ caller, core: webSocketTransport(coreSocket), close: async () => {} }),
    close: async () => {},
  }
  const stage = createStage(wires, {
    'deliveries.body': async () => ({ offset: 0, size: 1, base64: 'A'.repeat(4 * MIB) }),
  })
  const { connection } = await stage.connect()
  return { socket, coreSocket, connection, client: new RpcClient(caller) }
}

test('events for a client that stops reading are bounded; one message tells it to load again', async () => {
  const { socket, coreSocket, connection, client } = await connect()
  const gaps = vi.fn()
  const states: (string | null)[] = []
  client.onGap(gaps)
  client.on('receiver.changed', ({ problem }) => states.push(problem?.slice(0, 5) ?? null))
  const emit = (problem: string | null) =>
    connection.emit('receiver.changed', {
      state: 'failed',
      url: null,
      publicUrl: null,
      httpUrl: null,
      problem,
    })

  socket.pause()
  let most = 0
  for (let index = 0; index < EVENTS; index++) {
    emit('x'.repeat(MIB))
    most = Math.max(most, coreSocket.bufferedAmount)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(most).toBeLessThan(10 * MIB)
  expect(gaps).not.toHaveBeenCalled()

  // No event follows: the client learns of the gap anyway.
  socket.resume()
  await expect.poll(() => gaps).toHaveBeenCalledOnce()
  expect(states.length).toBeLessThan(EVENTS)
  emit('later')
  await expect.poll(() => states.at(-1)).toBe('later')
  expect(gaps).toHaveBeenCalledOnce()
})

test('a client that reads gets all large responses, and one that stopped is disconnected with a reason', async () => {
  const { socket, coreSocket, client } = await connect()
  const ask = () =>
    Promise.allSettled(
      Array.from({ length: 20 }, () => client.call('deliveries.body', { id: 'a' })),
    )
  expect((await ask()).every(({ status }) => status === 'fulfilled')).toBe(true)

  void ask()
  socket.pause()
  const closed = once(socket, 'close') as Promise<[number, Buffer]>
  await expect.poll(() => coreSocket.readyState).toBe(coreSocket.CLOSING)
  expect(coreSocket.bufferedAmount).toBeLessThan(13 * MIB)
  socket.resume()
  const [code, reason] = await closed
  expect(code).toBe(1013)
  expect(reason.toString()).toMatch(/unread/)
})
