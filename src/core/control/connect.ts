/** Connects to the Countersign process that serves a data folder. */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { RpcClient, type Client } from '../../shared/rpc/client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { webSocketTransport } from '../../shared/rpc/web-socket-transport.ts'
import { isAlive } from '../base/processes.ts'
import { isSameSecret, proofOf } from '../base/proof.ts'
import { systemClock } from '../base/system-clock.ts'
import { withTimeLimit } from '../base/async.ts'
import { isFolderLocked } from '../store/folder-lock.ts'
import { isStarting, readInstance, type Instance } from './instance-file.ts'

export interface InstanceConnection {
  readonly client: Client
  readonly closed: Promise<void>
  close(): void
}

const RETRY_MS = 25
/** Unanswered heartbeats after which a process counts as hanging. */
const MOST_UNANSWERED = 12

/** Milliseconds to connect, to wait for an end, and between heartbeats. */
const PATIENCE = { connectMs: 5_000, endingMs: 5_000, heartbeatMs: 5_000 }

/** Ends a connection whose process answers no heartbeat, as if suspended. */
function watchHeartbeat(socket: WebSocket, heartbeatMs: number, onSilent: () => void): void {
  let unanswered = 0
  const timer = setInterval(() => {
    socket.ping()
    if (unanswered++ < MOST_UNANSWERED) return
    onSilent()
    socket.terminate()
  }, heartbeatMs).unref()
  socket.on('pong', () => {
    unanswered = 0
  })
  socket.once('close', () => clearInterval(timer))
}

/**
 * Connects; the server must first prove that it knows the token.
 * @returns `silent` without a response, `gone` without a proof
 */
async function connect(
  { control, data, pid }: Instance,
  { connectMs, heartbeatMs }: typeof PATIENCE,
): Promise<InstanceConnection | 'silent' | 'gone'> {
  if (control === null) return 'gone'
  const { url, token } = control
  const nonce = randomBytes(32).toString('base64url')
  const authorization = `Proof ${nonce}.${proofOf(token, 'client', url, nonce)}`
  const socket = new WebSocket(url, { headers: { authorization }, perMessageDeflate: false })
  socket.on('error', () => {})
  const proving = new Promise<boolean>((resolve) => {
    socket.once('close', () => resolve(false))
    socket.once('message', (proof: Buffer) =>
      resolve(isSameSecret(proof.toString(), proofOf(token, 'server', url, nonce))),
    )
  })
  const isProven = await withTimeLimit(connectMs, proving, () => null)
  if (isProven !== true) {
    socket.terminate()
    return isProven === null ? 'silent' : 'gone'
  }
  let end = 'Countersign has stopped.'
  watchHeartbeat(socket, heartbeatMs, () => {
    end = notResponding(pid, data)
  })
  const client = new RpcClient(webSocketTransport(socket))
  const closed = new Promise<void>((resolve) =>
    socket.once('close', (_code, reason) => {
      client.disconnect(reason.toString() || end)
      resolve()
    }),
  )
  return { client, closed, close: () => socket.close() }
}

function notResponding(pid: number, dataFolder: string): string {
  return `Process ${pid} serves ${dataFolder} but doesn't respond. If it is suspended, resume it ("fg" in its shell), or end it. Then try again.`
}

/** Whether the process is Countersign, even if busy or suspended. */
export async function isResponding(instance: Instance, patience = {}): Promise<boolean> {
  const connection = await connect(instance, { ...PATIENCE, ...patience })
  if (typeof connection === 'object') connection.close()
  return connection !== 'gone'
}

/**
 * Connects to the process that serves a folder, or null. Rejects with `ALREADY_RUNNING` if it can't
 * be reached, because it wouldn't notice changes.
 */
export async function connectToInstance(
  dataFolder: string,
  overrides: Partial<typeof PATIENCE> = {},
): Promise<InstanceConnection | null> {
  const patience = { ...PATIENCE, ...overrides }
  const now = () => systemClock.monotonic()
  let until = now() + patience.endingMs
  // Without the lock, the port may be anyone's.
  while (isFolderLocked(dataFolder)) {
    const instance = await readInstance(dataFolder)
    const pid = instance !== null && isAlive(instance.pid) ? instance.pid : null
    // A receiving command ends soon, so other commands work beside it.
    if (instance?.host === 'command' && pid !== null) return null
    if (instance !== null && isStarting(instance, systemClock.now()))
      until = now() + patience.endingMs
    else {
      const connection = instance === null ? 'gone' : await connect(instance, patience)
      if (typeof connection === 'object') return connection
      if (pid !== null && connection === 'silent')
        throw new AppError('ALREADY_RUNNING', notResponding(pid, dataFolder), { details: { pid } })
      if (now() >= until) {
        throw new AppError(
          'ALREADY_RUNNING',
          `${dataFolder} is in use by ${pid === null ? 'a process' : `process ${pid}`}, but its instance.json was changed or removed. End that process, then try again.`,
          { details: { pid } },
        )
      }
    }
    await delay(RETRY_MS)
  }
  return null
}
