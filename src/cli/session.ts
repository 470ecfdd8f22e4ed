/**
 * How a command reaches the core: the instance that serves the data folder where one runs, else a core of its own in this
 * process, which only touches the store. Both speak the same contract, so no command needs to know which it is.
 */
import type { CoreOptions } from '../core/app/core.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { Client } from '../shared/rpc/client.ts'
import { type CommandContext, emptinessOf } from './context.ts'

/** Begins the sentence where there is no delivery at all. */
export const NOTHING_CAPTURED = 'No deliveries yet'

/** The message for a data folder that was never used: `missing` says what was not found. */
export function noDataYet(missing: string, dataFolder: string): string {
  return `${missing}: ${emptinessOf(dataFolder)}. Run "countersign serve" first, or check --data.`
}

export interface Session {
  readonly client: Client
  /** Whether an instance answers; else it is a core of this process. */
  readonly running: boolean
  /** Resolves when the instance has gone; never for a core of this process. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

async function connectRunning(dataFolder: string): Promise<Session | null> {
  // Loaded here, as the core below: a command that computes by itself starts in half the time without them.
  const { connectToInstance } = await import('../core/control/connect.ts')
  const connection = await connectToInstance(dataFolder)
  if (connection === null) return null
  const { client, closed } = connection
  return {
    client,
    running: true,
    closed,
    async close() {
      connection.close()
      await closed
    },
  }
}

async function openOwn(context: CommandContext, dataFolder: string, serve: CoreOptions['serve'] = null): Promise<Session> {
  const [{ createCore }, { createNodeDeps }, { createClient }, { createMemoryPair }] = await Promise.all([
    import('../core/app/create-core.ts'),
    import('../loopback/node-deps.ts'),
    import('../shared/rpc/client.ts'),
    import('../shared/rpc/transport.ts'),
  ])
  const deps = createNodeDeps({ version: context.version, host: 'command', dataFolder, workers: context.build })
  const core = await createCore(deps, { serve })
  const [near, far] = createMemoryPair()
  const disconnect = core.connect(far)
  return {
    client: createClient(near),
    running: false,
    closed: new Promise(() => undefined),
    async close() {
      disconnect()
      await core.close()
    },
  }
}

async function runWith<T>(session: Session, task: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await task(session)
  } finally {
    await session.close()
  }
}

/** Runs the task with the running instance, or with a core of its own; makes the data folder where it is missing. */
export async function withCore<T>(
  context: CommandContext,
  dataFolder: string,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  return runWith((await connectRunning(dataFolder)) ?? (await openOwn(context, dataFolder)), task)
}

/** The same for what needs a receiver: without an instance, the core of this process listens on free ports while the task lasts. */
export async function withReceiver<T>(
  context: CommandContext,
  dataFolder: string,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  const serve = { host: '127.0.0.1', receiverPort: 0, withoutSandbox: true } as const
  return runWith((await connectRunning(dataFolder)) ?? (await openOwn(context, dataFolder, serve)), task)
}

/** The same for what only reads: null, and nothing is made, where the folder holds no database and nobody serves it. */
export async function withExistingData<T>(
  context: CommandContext,
  dataFolder: string,
  task: (session: Session) => Promise<T>,
): Promise<T | null> {
  const running = await connectRunning(dataFolder)
  if (running !== null) return runWith(running, task)
  const { hasDatabase } = await import('../core/store/open.ts')
  return hasDatabase(dataFolder) ? runWith(await openOwn(context, dataFolder), task) : null
}

/** The same for what cannot be without data: rejects with `NOT_FOUND` where there is none; `missing` begins the sentence. */
export async function withKeptData<T>(
  context: CommandContext,
  dataFolder: string,
  missing: string,
  task: (session: Session) => Promise<T>,
): Promise<T> {
  const done = await withExistingData(context, dataFolder, async (session) => ({ value: await task(session) }))
  if (done === null) throw new AppError('NOT_FOUND', noDataYet(missing, dataFolder))
  return done.value
}

/** Runs the task with the running instance. Rejects with `NOT_RUNNING` where there is none; `what` begins the sentence. */
export async function withInstance<T>(dataFolder: string, what: string, task: (session: Session) => Promise<T>): Promise<T> {
  const running = await connectRunning(dataFolder)
  if (running === null) {
    throw new AppError(
      'NOT_RUNNING',
      `${what} needs Countersign running on ${dataFolder}. Run "countersign serve" with the same --data, then try again.`,
    )
  }
  return runWith(running, task)
}
