/** A client whose calls wait until the test answers them, in the order that it likes; events and gaps come when it says so. */
import type { CommandName, EventName, OutputOf, PayloadOf } from '../../src/shared/contract/contract.ts'
import { AppError } from '../../src/shared/contract/errors.ts'
import type { Client } from '../../src/shared/rpc/client.ts'

export interface Asked {
  readonly command: string
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal | undefined
  /** Resolves when all that waited for the answer has gone on. */
  answer(output: unknown): Promise<void>
  refuse(error: Error): Promise<void>
}

export interface AskedClient {
  readonly client: Client
  /** What was asked and not taken with `next` yet. */
  readonly asked: readonly Asked[]
  /** The oldest call of a command that still waits. Throws where there is none. */
  next(command: CommandName): Asked
  /** Answers the oldest call of a command. */
  answer<K extends CommandName>(command: K, output: Partial<OutputOf<K>>): Promise<void>
  emit<K extends EventName>(event: K, payload: PayloadOf<K>): void
  gap(): void
}

const soon = () => new Promise<void>((done) => setTimeout(done, 0))

export function createAskedClient(): AskedClient {
  const asked: Asked[] = []
  const listeners = new Map<string, Set<(payload: never) => void>>()
  const gaps = new Set<() => void>()
  const client = {
    call: (command: string, input: Readonly<Record<string, unknown>>, options?: { signal?: AbortSignal }) =>
      new Promise((resolve, reject) => {
        options?.signal?.addEventListener('abort', () => {
          reject(new AppError('CANCELLED', 'Nobody waits for it.'))
        })
        asked.push({
          command,
          input,
          signal: options?.signal,
          answer(output) {
            resolve(output)
            return soon()
          },
          refuse(error) {
            reject(error)
            return soon()
          },
        })
      }),
    on(event: string, listener: (payload: never) => void) {
      const all = listeners.get(event) ?? new Set()
      listeners.set(event, all.add(listener))
      return () => all.delete(listener)
    },
    onGap(listener: () => void) {
      gaps.add(listener)
      return () => gaps.delete(listener)
    },
  } as unknown as Client
  const next = (command: CommandName): Asked => {
    const index = asked.findIndex((one) => one.command === command && one.signal?.aborted !== true)
    const [found] = asked.splice(index, 1)
    if (index === -1 || found === undefined) throw new Error(`${command} was not asked.`)
    return found
  }
  return {
    client,
    asked,
    next,
    answer: (command, output) => next(command).answer(output),
    emit(event, payload) {
      for (const listener of listeners.get(event) ?? []) listener(payload as never)
    },
    gap() {
      for (const listener of gaps) listener()
    },
  }
}
