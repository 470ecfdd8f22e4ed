/** The real client over an in-memory transport, whose other end is a test. */
import type {
  CommandName,
  EventName,
  OutputOf,
  PayloadOf,
} from '../../src/shared/contract/contract.ts'
import { AppError } from '../../src/shared/contract/errors.ts'
import type { NativeCommandName } from '../../src/shared/contract/native.ts'
import { RpcClient, type Client } from '../../src/shared/rpc/client.ts'
import type { FromCore, ToCore } from '../../src/shared/rpc/messages.ts'

type Input = Readonly<Record<string, unknown>>

interface FarEnd {
  readonly client: Client
  answer(id: number, output: unknown): void
  refuse(id: number, error: Error): void
  emit<K extends EventName>(event: K, payload: PayloadOf<K>): void
  gap(): void
}

interface FarEndOptions {
  onCall(id: number, command: string, input: Input, text: string): void
  onCancel(id: number): void
}

function createFarEnd({ onCall, onCancel }: FarEndOptions): FarEnd {
  const listeners = new Set<(text: string) => void>()
  let seq = 0
  const tell = (message: FromCore) => {
    const text = JSON.stringify(message)
    for (const listener of listeners) listener(text)
  }
  const client = new RpcClient({
    send(text) {
      const message = JSON.parse(text) as ToCore
      if (message.kind === 'cancel') onCancel(message.id)
      else onCall(message.id, message.command, message.input as Input, text)
    },
    onMessage(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })
  return {
    client,
    answer(id, output) {
      tell({ kind: 'response', id, ok: true, output })
    },
    refuse(id, error) {
      const { code, message, details } =
        error instanceof AppError ? error : new AppError('INTERNAL', error.message)
      tell({ kind: 'response', id, ok: false, error: { code, message, details } })
    },
    emit(event, payload) {
      tell({ kind: 'event', seq: ++seq, event, payload })
    },
    gap() {
      // Nobody listens to the event that reveals the gap.
      for (const next of [seq + 1, seq + 3])
        tell({ kind: 'event', seq: (seq = next), event: 'none', payload: null })
    },
  }
}

export interface Asked {
  readonly command: string
  readonly input: Input
  isCancelled(): boolean
  /** Resolves when everything that awaited the response has continued. */
  answer(output: unknown): Promise<void>
  refuse(error: Error): Promise<void>
}

export interface AskedClient extends Pick<FarEnd, 'client' | 'emit' | 'gap'> {
  /** Calls neither returned by `next` nor cancelled yet. */
  readonly asked: readonly Asked[]
  /** Returns the oldest pending call of a command. Throws if there isn't one. */
  next(command: CommandName | NativeCommandName): Asked
  answer<K extends CommandName>(command: K, output: Partial<OutputOf<K>>): Promise<void>
}

const soon = () => new Promise<void>((done) => setTimeout(done, 0))

export function createAskedClient(): AskedClient {
  const asked: Asked[] = []
  const open = new Map<number, Asked>()
  const cancelled = new Set<number>()
  const remove = (one: Asked | undefined) => {
    const index = one === undefined ? -1 : asked.indexOf(one)
    if (index !== -1) asked.splice(index, 1)
  }
  const far = createFarEnd({
    onCall(id, command, input) {
      const one: Asked = {
        command,
        input,
        isCancelled: () => cancelled.has(id),
        answer(output) {
          far.answer(id, output)
          return soon()
        },
        refuse(error) {
          far.refuse(id, error)
          return soon()
        },
      }
      open.set(id, one)
      asked.push(one)
    },
    onCancel(id) {
      cancelled.add(id)
      remove(open.get(id))
    },
  })
  const next = (command: CommandName | NativeCommandName): Asked => {
    const call = asked.find((one) => one.command === command)
    if (call === undefined) throw new Error(`${command} was not asked.`)
    remove(call)
    return call
  }
  return {
    client: far.client,
    asked,
    next,
    answer: (command, output) => next(command).answer(output),
    emit: far.emit,
    gap: far.gap,
  }
}

/**
 * Creates a client whose calls `answer` responds to at once; if it throws, the call is rejected.
 */
export function createAnsweredClient(
  answer: (command: string, input: Input, text: string) => unknown,
): Pick<FarEnd, 'client' | 'emit' | 'gap'> {
  const far = createFarEnd({
    onCall(id, command, input, text) {
      new Promise((resolve) => {
        resolve(answer(command, input, text))
      }).then(
        (output) => {
          far.answer(id, output)
        },
        (error: unknown) => {
          far.refuse(id, error as Error)
        },
      )
    },
    onCancel: () => undefined,
  })
  return { client: far.client, emit: far.emit, gap: far.gap }
}
