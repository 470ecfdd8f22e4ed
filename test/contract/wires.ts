/**
 * The wires that the contract tests use: each has two connected transports, the caller's and the
 * core's.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocket as PackageWebSocket, WebSocketServer } from 'ws'
import type { Transport } from '../../src/shared/rpc/transport.ts'
import { createMemoryPair } from '../../src/shared/rpc/memory-pair.ts'
import {
  webSocketTransport,
  type WebSocketLike,
} from '../../src/shared/rpc/web-socket-transport.ts'

export interface Wire {
  readonly caller: Transport
  readonly core: Transport
  close(): Promise<void>
}

export interface Wires {
  open(): Promise<Wire>
  close(): Promise<void>
}

export async function memoryWires(): Promise<Wires> {
  return {
    async open() {
      const { client: caller, core } = createMemoryPair()
      return { caller, core, close: async () => {} }
    },
    close: async () => {},
  }
}

interface OpenSocket extends WebSocketLike {
  close(): void
}

/**
 * Starts a real server on loopback.
 * @param connect Creates the caller's socket, so that browser and package sockets are both tested.
 */
async function webSocketWires(connect: (url: string) => Promise<OpenSocket>): Promise<Wires> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    async open() {
      const accepted = once(server, 'connection') as Promise<[PackageWebSocket]>
      const [socket, [coreSocket]] = await Promise.all([connect(url), accepted])
      return {
        caller: webSocketTransport(socket),
        core: webSocketTransport(coreSocket),
        async close() {
          const closed = once(coreSocket, 'close')
          socket.close()
          await closed
        },
      }
    },
    async close() {
      for (const socket of server.clients) socket.terminate()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

/** Creates wires over the WebSocket of the `ws` package, as used by the command line. */
export function packageSocketWires(): Promise<Wires> {
  return webSocketWires(async (url) => {
    const socket = new PackageWebSocket(url)
    await once(socket, 'open')
    return socket
  })
}

/** Creates wires over the WebSocket of browsers and Node. */
export function browserSocketWires(): Promise<Wires> {
  return webSocketWires(async (url) => {
    const socket = new WebSocket(url)
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true })
      socket.addEventListener('error', () => reject(new Error(`no connection to ${url}`)), {
        once: true,
      })
    })
    return socket
  })
}
