/** Connects to the Countersign process that serves a data folder. */
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { createClient, type Client } from '../../shared/rpc/client.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { webSocketTransport } from '../../shared/rpc/transport.ts'
import { isAlive } from '../base/processes.ts'
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
const RETRY_MS = 25

/** `silent`: something listens but doesn't respond, like a suspended process. `gone`: nothing there knows the token. */
async function connect(
  instance: Instance,
  waitMs: number,
): Promise<InstanceConnection | 'silent' | 'gone'> {
  if (instance.control === null) return 'gone'
  const { url, token } = instance.control
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  })
  const connecting = new Promise<'open' | 'gone'>((resolve) => {
    socket.once('open', () => resolve('open'))
    socket.once('error', () => resolve('gone'))
  })
  const outcome = await withTimeLimit(waitMs, connecting, () => 'silent' as const)
  if (outcome === 'silent') socket.terminate()
  if (outcome !== 'open') return outcome
  const client = createClient(webSocketTransport(socket))
  const closed = new Promise<void>((resolve) =>
    socket.once('close', (_code, reason) => {
      client.disconnect(reason.toString() || 'Countersign has stopped.')
      resolve()
    }),
  )
  socket.on('error', () => {
    // A close event follows and says everything.
  })
  return {
    client,
    instance,
    closed,
    close: () => socket.close(),
  }
}

/** Whether the process named by an instance file is Countersign: it responds, or is too busy or suspended to respond. */
export async function isResponding(instance: Instance, waitMs = CONNECT_MS): Promise<boolean> {
  const connection = await connect(instance, waitMs)
  if (typeof connection === 'object') connection.close()
  return connection !== 'gone'
}

/** Reads which process serves the folder, giving a starting one time to finish. */
async function readStarted(dataFolder: string): Promise<Instance | null> {
  for (;;) {
    const instance = await readInstance(dataFolder)
    if (
      instance === null ||
      instance.host === 'command' ||
      !isStarting(instance, systemClock.now())
    )
      return instance
    await delay(RETRY_MS)
  }
}

async function isLocked(dataFolder: string): Promise<boolean> {
  // Loaded on demand, to keep commands fast.
  const { isFolderLocked } = await import('../store/open.ts')
  return isFolderLocked(dataFolder)
}

/**
 * Connects to the process that serves a data folder; null if there is none. Waits for one that is starting or ending. Rejects with
 * `ALREADY_RUNNING` if a process can't be reached within `waitMs`, because it wouldn't notice a command's changes.
 */
export async function connectToInstance(
  dataFolder: string,
  waitMs = CONNECT_MS,
): Promise<InstanceConnection | null> {
  for (let waited = 0; ; waited += RETRY_MS) {
    const instance = await readStarted(dataFolder)
    // A receiving command ends with its own run and would cut off a command that joined it, so other commands work beside it.
    if (instance?.host === 'command' && isAlive(instance.pid)) return null
    const connection = instance === null ? 'gone' : await connect(instance, waitMs)
    if (typeof connection === 'object') return connection
    const pid = instance !== null && isAlive(instance.pid) ? instance.pid : null
    if (pid !== null && connection === 'silent') {
      throw new AppError(
        'ALREADY_RUNNING',
        `Process ${pid} serves ${dataFolder} but doesn't respond. If it is suspended, resume it ("fg" in its shell), or end it. Then try again.`,
        { details: { pid } },
      )
    }
    if (!(await isLocked(dataFolder))) return null
    if (waited >= waitMs) {
      throw new AppError(
        'ALREADY_RUNNING',
        `${dataFolder} is in use by ${pid === null ? 'a process' : `process ${pid}`}, but its instance.json was changed or removed. End that process, then try again.`,
        { details: { pid } },
      )
    }
    await delay(RETRY_MS)
  }
}
