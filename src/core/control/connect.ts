/** Connects to the Countersign process that serves a data folder. */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { createClient, type Client } from '../../shared/rpc/client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { webSocketTransport } from '../../shared/rpc/transport.ts'
import { isAlive } from '../base/processes.ts'
import { isSameSecret, proofOf } from '../base/proof.ts'
import { systemClock } from '../base/system-clock.ts'
import { withTimeLimit } from '../base/async.ts'
import { isStarting, readInstance, type Instance } from './instance-file.ts'

export interface InstanceConnection {
  readonly client: Client
  readonly instance: Instance
  /** Resolves when the process has ended, or after `close`. */
  readonly closed: Promise<void>
  close(): void
}

const CONNECT_MS = 5_000
/** How long an ending process may hold the folder. */
const ENDING_MS = 5_000
const RETRY_MS = 25
const HEARTBEAT_MS = 5_000
/** Heartbeats in a row without a sign of life after which the process counts as hanging. */
const MOST_UNANSWERED = 12

/** Names the header with the client's nonce, in place of the token. */
export const NONCE_HEADER = 'countersign-nonce'

interface Patience {
  /** Milliseconds for a connection. */
  readonly connectMs?: number
  /** Milliseconds for a process to end that holds the folder and can't be reached. */
  readonly endingMs?: number
  /** Milliseconds between heartbeats. */
  readonly heartbeatMs?: number
}

/**
 * Resolves to whether the server has proven that it knows the token, which it does in its first message. Only then the client
 * proves it too.
 */
function exchangeProofs(
  socket: WebSocket,
  { url, token }: NonNullable<Instance['control']>,
  nonce: string,
): Promise<'open' | 'gone'> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve('gone'))
    socket.once('message', (data: Buffer) => {
      const [serverNonce = '', proof = ''] = data.toString().split('.')
      const prove = (end: 'client' | 'server') => proofOf(token, end, url, [nonce, serverNonce])
      if (!isSameSecret(proof, prove('server'))) {
        socket.terminate()
        return
      }
      socket.send(prove('client'))
      resolve('open')
    })
  })
}

/** Ends a connection whose other end is silent: a long command still answers heartbeats, a suspended process doesn't. */
function watchHeartbeat(socket: WebSocket, heartbeatMs: number, onSilent: () => void): void {
  let unanswered = 0
  const timer = setInterval(() => {
    if (unanswered++ < MOST_UNANSWERED) {
      socket.ping()
      return
    }
    onSilent()
    socket.terminate()
  }, heartbeatMs).unref()
  const reset = () => {
    unanswered = 0
  }
  socket.on('pong', reset).on('message', reset)
  socket.once('close', () => clearInterval(timer))
}

/** `silent`: something listens but doesn't respond, like a suspended process. `gone`: nothing there knows the token. */
async function connect(
  instance: Instance,
  { connectMs = CONNECT_MS, heartbeatMs = HEARTBEAT_MS }: Patience,
): Promise<InstanceConnection | 'silent' | 'gone'> {
  const { control, data, pid } = instance
  if (control === null) return 'gone'
  const nonce = randomBytes(32).toString('base64url')
  const socket = new WebSocket(control.url, {
    headers: { [NONCE_HEADER]: nonce },
    perMessageDeflate: false,
  })
  socket.on('error', () => {
    // A close event follows and says everything.
  })
  const proven = exchangeProofs(socket, control, nonce)
  const outcome = await withTimeLimit(connectMs, proven, () => 'silent' as const)
  if (outcome !== 'open') {
    socket.terminate()
    return outcome
  }
  let lost = 'Countersign has stopped.'
  watchHeartbeat(socket, heartbeatMs, () => {
    lost = notResponding(pid, data)
  })
  const client = createClient(webSocketTransport(socket))
  const closed = new Promise<void>((resolve) =>
    socket.once('close', (_code, reason) => {
      client.disconnect(reason.toString() || lost)
      resolve()
    }),
  )
  return {
    client,
    instance,
    closed,
    close: () => socket.close(),
  }
}

function notResponding(pid: number, dataFolder: string): string {
  return `Process ${pid} serves ${dataFolder} but doesn't respond. If it is suspended, resume it ("fg" in its shell), or end it. Then try again.`
}

/** Whether the process named by an instance file is Countersign: it responds, or is too busy or suspended to respond. */
export async function isResponding(instance: Instance, connectMs = CONNECT_MS): Promise<boolean> {
  const connection = await connect(instance, { connectMs })
  if (typeof connection === 'object') connection.close()
  return connection !== 'gone'
}

async function isLocked(dataFolder: string): Promise<boolean> {
  // Loaded on demand, to keep commands fast.
  const { isFolderLocked } = await import('../store/open.ts')
  return isFolderLocked(dataFolder)
}

/**
 * Connects to the process that serves a data folder; null if there is none. Waits for one that is starting or ending. Rejects with
 * `ALREADY_RUNNING` if a process can't be reached in time, because it wouldn't notice a command's changes.
 */
export async function connectToInstance(
  dataFolder: string,
  patience: Patience = {},
): Promise<InstanceConnection | null> {
  const { endingMs = ENDING_MS } = patience
  let waited = 0
  // Without the lock, the file is left from a crash or came with the folder: its port may be anyone's, so nothing connects to it.
  while (await isLocked(dataFolder)) {
    const instance = await readInstance(dataFolder)
    const pid = instance !== null && isAlive(instance.pid) ? instance.pid : null
    // A receiving command ends with its own run and would cut off a command that joined it, so other commands work beside it.
    if (instance?.host === 'command' && pid !== null) return null
    if (instance === null || !isStarting(instance, systemClock.now())) {
      const connection = instance === null ? 'gone' : await connect(instance, patience)
      if (typeof connection === 'object') return connection
      if (pid !== null && connection === 'silent')
        throw new AppError('ALREADY_RUNNING', notResponding(pid, dataFolder), { details: { pid } })
      if (waited >= endingMs) {
        throw new AppError(
          'ALREADY_RUNNING',
          `${dataFolder} is in use by ${pid === null ? 'a process' : `process ${pid}`}, but its instance.json was changed or removed. End that process, then try again.`,
          { details: { pid } },
        )
      }
      waited += RETRY_MS
    }
    await delay(RETRY_MS)
  }
  return null
}
