/** The parts of a running command: its context, its output, and sessions with a core. */
import { statSync } from 'node:fs'
import type { CoreOptions } from '../core/app/core.ts'
import { checkDataFolder } from '../core/base/check-folder.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { MaskingKind } from '../shared/contract/nouns/exchange.ts'
import type { Client } from '../shared/rpc/client.ts'
import type { CommandContext } from './context.ts'
import { chooseDataFolder, type ChosenFolder } from './repository-data.ts'

/**
 * Options for commands that only use the store: starting threads would take longer than their work.
 */
const STORE_ONLY: CoreOptions = { serve: null, withoutThreads: true }
/**
 * Options for commands that send: storing a request must not delay the next, nor a measured
 * response.
 */
export const SENDING: CoreOptions = { serve: null }

export const NOTHING_CAPTURED = 'No deliveries yet'

export interface Session {
  readonly client: Client
  /** Resolves when Countersign stops; never for a core in this process. */
  readonly closed: Promise<void>
  /** Cancels the run that is followed, in place of Ctrl+C. */
  readonly stop?: AbortSignal
  close(): Promise<void>
}

export type Caller = Pick<Client, 'call'>

interface RunOptions {
  readonly data: string | undefined
  readonly asJson: boolean
  /** Beginning of the error "… needs Countersign running"; undefined if the command needs none. */
  readonly running: string | undefined
  readonly typed: readonly string[]
  /** Kind of masking without `--include-secrets`. */
  readonly masked?: MaskingKind
}

/**
 * A running command. Its methods open a session with the Countersign that runs on the data folder,
 * or else:
 *
 * - `openData`: a core in this process with the options `own`, in a new folder if needed
 * - `openReceiver`: like `openData`, with a receiver on a free port
 * - `findData`: like `openData`, but null without a database, after a note with `missing`
 * - `needData`: like `openData`, but rejects with `NOT_FOUND` without a database
 * - `needRunning`: rejects with `NOT_RUNNING`; `what` begins the sentence
 *
 * `openTemporary` always opens a core, in a folder that is deleted when the command ends.
 */
export interface CommandRun extends Omit<CommandContext, 'exit'> {
  readonly data: string | undefined
  /** Names of the options on the command line. */
  readonly typed: readonly string[]
  /**
   * Returns the data folder, which may not exist yet. Throws `STORE_UNAVAILABLE` if it can't be
   * used.
   */
  dataFolder(): string
  /** Returns the setup file that names the data folder; null if none does. */
  setupFile(): string | null
  /** Opens at the first call: `needRunning` if the command needs that, else `openData`. */
  readonly client: Caller
  openData(own?: CoreOptions): Promise<Session>
  openReceiver(): Promise<Session>
  findData(missing: string | null, own?: CoreOptions): Promise<Session | null>
  needData(missing: string, own?: CoreOptions): Promise<Session>
  /** Creates a folder that is deleted when the command ends. */
  temporaryFolder(): Promise<string>
  openTemporary(own: CoreOptions): Promise<Session>
  needRunning(what?: string): Promise<Session>
}

type RunContext = Omit<CommandContext, 'exit'>

/** Runs a command's work, then closes its sessions and deletes its temporary folders. */
export async function withRun<T>(
  context: RunContext,
  options: RunOptions,
  work: (run: CommandRun) => Promise<T>,
): Promise<T> {
  const { data, asJson, typed } = options
  const sessions = new CommandSessions(context, options)
  try {
    context.output.asJson = asJson
    return await work({ ...context, data, typed, ...sessions.methods })
  } finally {
    await sessions.close()
  }
}

class CommandSessions {
  readonly #context: RunContext
  readonly #options: RunOptions
  readonly #closers: (() => unknown)[] = []
  #clientSession: Promise<Session> | undefined
  #chosen: ChosenFolder | undefined

  constructor(context: RunContext, options: RunOptions) {
    this.#context = context
    this.#options = options
  }

  readonly methods: Omit<CommandRun, keyof RunContext | 'data' | 'typed'> = {
    client: {
      call: async (command, input, options) => {
        const { needRunning, openData } = this.methods
        this.#clientSession ??= this.#options.running === undefined ? openData() : needRunning()
        const session = await this.#clientSession
        return session.client.call(command, input, options)
      },
    },
    dataFolder: () => this.#chosenFolder().folder,
    setupFile: () => this.#chosenFolder().setupFile,
    openData: async (own) => (await this.#findRunning()) ?? this.#openHere(own),
    openReceiver: () =>
      this.methods.openData({
        serve: { host: '127.0.0.1', receiverPort: 0, withoutSandbox: true },
      }),
    findData: async (missing, own) => {
      const session = await this.#findSession(own)
      if (session === null && missing !== null)
        this.#context.output.note(noDataYet(missing, this.methods.dataFolder()))
      return session
    },
    needData: async (missing, own) => {
      const session = await this.#findSession(own)
      if (session !== null) return session
      throw new AppError('NOT_FOUND', noDataYet(missing, this.methods.dataFolder()))
    },
    needRunning: async (what = this.#options.running ?? 'This command') => {
      const session = await this.#findRunning()
      if (session === null) throw notRunning(what, this.methods.dataFolder())
      return session
    },
    temporaryFolder: async () => {
      const { makeTemporaryFolder } = await import('../core/store/temporary-folder.ts')
      const { folder, remove } = makeTemporaryFolder()
      this.#closers.push(remove)
      return folder
    },
    openTemporary: async (own) =>
      this.#add(await openOwn(this.#context, await this.methods.temporaryFolder(), own)),
  }

  async close(): Promise<void> {
    for (const close of this.#closers.toReversed()) await close()
  }

  /** Chooses the data folder once, and says which a setup file chose. */
  #chosenFolder(): ChosenFolder {
    if (this.#chosen !== undefined) return this.#chosen
    const chosen = chooseDataFolder({ option: this.#options.data, env: this.#context.env })
    const { folder, setupFile } = chosen
    checkDataFolder(folder)
    if (setupFile !== null) this.#context.output.note(`Data folder: ${folder} (${setupFile})`)
    this.#chosen = chosen
    return chosen
  }

  #add(session: Session): Session {
    const { typed, masked = 'credentials' } = this.#options
    this.#closers.push(() => session.close())
    return typed.includes('includeSecrets')
      ? session
      : { ...session, client: maskedClient(session.client, masked) }
  }

  async #findRunning(): Promise<Session | null> {
    const session = await connectRunning(this.methods.dataFolder())
    return session === null ? null : this.#add(session)
  }

  async #openHere(own = STORE_ONLY): Promise<Session> {
    return this.#add(await openOwn(this.#context, this.methods.dataFolder(), own))
  }

  async #findSession(own?: CoreOptions): Promise<Session | null> {
    const session = await this.#findRunning()
    if (session !== null) return session
    const { hasDatabase } = await import('../core/store/database.ts')
    return hasDatabase(this.methods.dataFolder()) ? this.#openHere(own) : null
  }
}

/** Commands whose output quotes no request or response, masks itself, or is the user's settings. */
const UNMASKED_COMMANDS =
  /^(?:app|consent|doctor|environments|hooks|marks|receiver|retention|settings|setup|storage|tunnels|views)\.|^(?:bodies\.decoded|deliveries\.(?:body|counts|delete|get|list|matching|seqs|values)|exchange\.(?!verify).+|handlers\.(?!probe).+|replay\.(?:baseline|comparison|send))$/

/** Wraps a client to mask responses, unless a call says otherwise. */
const maskedClient = (client: Client, masked: MaskingKind): Client => ({
  ...client,
  async call(command, input, options) {
    // Commands without this input ignore it.
    const output = await client.call(command, { masked, ...input }, options)
    if (UNMASKED_COMMANDS.test(command)) return output
    const { id, deliveryId = command.startsWith('deliveries.') ? id : undefined } = input as {
      id?: string
      deliveryId?: string
    }
    const ids = deliveryId === undefined ? [] : [deliveryId]
    const { value } = await client.call('exchange.mask', { ids, masked, value: output as never })
    return value as typeof output
  },
})

function notRunning(what: string, dataFolder: string): AppError {
  return new AppError(
    'NOT_RUNNING',
    `${what} needs Countersign running on ${dataFolder}. Run "countersign serve" with the same --data, then try again.`,
  )
}

/** Returns the message for a data folder that was never used; `missing` begins the sentence. */
function noDataYet(missing: string, dataFolder: string): string {
  const exists = statSync(dataFolder, { throwIfNoEntry: false }) !== undefined
  const why = exists ? `${dataFolder} has no database` : `${dataFolder} does not exist`
  return `${missing}: ${why}. Run "countersign serve" first, or check --data.`
}

async function connectRunning(dataFolder: string): Promise<Session | null> {
  // Loaded on demand: commands that need no core start in half the time without it.
  const { connectToInstance } = await import('../core/control/connect.ts')
  const connection = await connectToInstance(dataFolder)
  if (connection === null) return null
  const { client, closed } = connection
  return {
    client,
    closed,
    async close() {
      connection.close()
      await closed
    },
  }
}

async function openOwn(
  context: Pick<CommandContext, 'version' | 'build'>,
  dataFolder: string,
  options: CoreOptions,
): Promise<Session> {
  const [{ createCore }, { createNodeDeps }, { RpcClient }, { createMemoryPair }] =
    await Promise.all([
      import('../core/app/app.ts'),
      import('../loopback/node-deps.ts'),
      import('../shared/rpc/client.ts'),
      import('../shared/rpc/memory-pair.ts'),
    ])
  const deps = createNodeDeps({
    version: context.version,
    host: 'command',
    dataFolder,
    workers: context.build,
  })
  const core = await createCore(deps, options)
  const { client: clientEnd, core: coreEnd } = createMemoryPair()
  const disconnect = core.connect(coreEnd)
  return {
    client: new RpcClient(clientEnd),
    closed: new Promise(() => undefined),
    async close() {
      disconnect()
      await core.close()
    },
  }
}
