/** Reaches the instance that serves a data folder. */
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { createClient, type Client } from '../../shared/rpc/client.ts'
import { webSocketTransport } from '../../shared/rpc/transport.ts'
import { systemClock } from '../system-clock.ts'
import { isStarting, readInstance, type Instance } from './instance-file.ts'

export interface InstanceConnection {
  readonly client: Client
  readonly instance: Instance
  /** Resolves when the instance has gone, or after `close`. */
  readonly closed: Promise<void>
  close(): void
}

const CONNECT_MS = 3_000
const LOOK_AGAIN_MS = 25

async function connect(instance: Instance): Promise<InstanceConnection | null> {
  if (instance.control === null) return null
  const { url, token } = instance.control
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: CONNECT_MS,
    perMessageDeflate: false,
  })
  const opened = await new Promise<boolean>((resolve) => {
    socket.once('open', () => {
      resolve(true)
    })
    socket.once('error', () => {
      resolve(false)
    })
  })
  if (!opened) return null
  const client = createClient(webSocketTransport(socket))
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      client.disconnect('The running instance has stopped.')
      resolve()
    })
  })
  socket.on('error', () => {
    // A close follows, and says all there is to say.
  })
  return {
    client,
    instance,
    closed,
    close: () => {
      socket.close()
    },
  }
}

/** Whether the process that an instance file names answers on its channel. */
export async function answers(instance: Instance): Promise<boolean> {
  const connection = await connect(instance)
  connection?.close()
  return connection !== null
}

/** Reads who serves the folder; one that is about to has the time to finish its start. */
async function readStarted(dataFolder: string): Promise<Instance | null> {
  for (;;) {
    const instance = await readInstance(dataFolder)
    if (instance === null || !isStarting(instance, systemClock.now())) return instance
    await delay(LOOK_AGAIN_MS)
  }
}

/**
 * Connects to the instance of a data folder; null where none runs. One that is starting is waited for: what a command changed beside
 * it, it would not know of.
 */
export async function connectToInstance(dataFolder: string): Promise<InstanceConnection | null> {
  const instance = await readStarted(dataFolder)
  return instance === null ? null : connect(instance)
}
