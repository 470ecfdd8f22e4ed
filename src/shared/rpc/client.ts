/** Client side of the contract: calls commands and receives events over a transport. */
import { AppError } from '../contract/errors.ts'
import type { CommandName, EventName, InputOf, OutputOf, PayloadOf } from '../contract/contract.ts'
import type {
  NativeCommandName,
  NativeEventName,
  NativeInputOf,
  NativeOutputOf,
  NativePayloadOf,
} from '../contract/native.ts'
import { withUtcTimes } from '../query/utc-times.ts'
import type { Transport } from './transport.ts'
import type { FromCore, ToCore } from './messages.ts'

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface Client {
  /** Calls a command; rejects with an `AppError`. */
  call<K extends CommandName>(
    command: K,
    input: InputOf<K>,
    options?: CallOptions,
  ): Promise<OutputOf<K>>
  /** Calls a desktop command; rejects with `UNSUPPORTED` elsewhere. */
  callNative<K extends NativeCommandName>(
    command: K,
    input: NativeInputOf<K>,
  ): Promise<NativeOutputOf<K>>
  on<K extends EventName>(event: K, listener: (payload: PayloadOf<K>) => void): () => void
  onNative<K extends NativeEventName>(
    event: K,
    listener: (payload: NativePayloadOf<K>) => void,
  ): () => void
  /** Calls the listener when events were lost, to load its snapshot again. */
  onGap(listener: () => void): () => void
  /** Rejects open and later calls with `DISCONNECTED`. Listeners stay for the next connection. */
  disconnect(reason: string): void
  /** Uses a new connection; events since the last one are lost. */
  connect(transport: Transport): void
}

/** Names of commands that evaluate their query now, such as `deliveries.list`; others store it. */
const EVALUATES_QUERY = /^(?:deliveries|exchange|replay|statistics|timeline)\./

/** Converts times in a query to UTC: the user has the client's time zone, not the core's. */
function withUtcQuery(command: string, input: unknown): unknown {
  if (!EVALUATES_QUERY.test(command) || typeof input !== 'object' || input === null) return input
  const convert = (query: unknown) =>
    typeof query === 'string' ? withUtcTimes(query, Date.now()) : query
  if ('query' in input) return { ...input, query: convert(input.query) }
  if ('queries' in input && Array.isArray(input.queries))
    return { ...input, queries: input.queries.map(convert) }
  return input
}

interface OpenCall {
  readonly resolve: (output: unknown) => void
  readonly reject: (error: Error) => void
}

export class RpcClient implements Client {
  readonly #open = new Map<number, OpenCall>()
  readonly #listeners = new Map<string, Set<(payload: unknown) => void>>()
  readonly #gapListeners = new Set<() => void>()
  #nextId = 1
  #lastSeq = 0
  /** Reason for the lost connection; null while connected. */
  #disconnected: string | null = 'Not connected to Countersign.'
  #transport: Transport | undefined
  #stopListening: (() => void) | undefined

  constructor(transport?: Transport) {
    if (transport !== undefined) this.connect(transport)
  }

  readonly connect = (transport: Transport): void => {
    this.#stopListening?.()
    this.#transport = transport
    this.#disconnected = null
    this.#lastSeq = 0
    this.#stopListening = transport.onMessage((text) => this.#receive(text))
  }

  readonly disconnect = (reason: string): void => {
    this.#disconnected = reason
    for (const call of this.#open.values()) call.reject(new AppError('DISCONNECTED', reason))
    this.#open.clear()
  }

  readonly call: Client['call'] = (command, input, options) =>
    this.#request(command, input, options?.signal) as Promise<OutputOf<typeof command>>

  readonly callNative: Client['callNative'] = (command, input) =>
    this.#request(command, input) as Promise<NativeOutputOf<typeof command>>

  #request(command: string, input: unknown, signal?: AbortSignal): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#disconnected !== null) {
        reject(new AppError('DISCONNECTED', this.#disconnected))
        return
      }
      const cancelled = () => new AppError('CANCELLED', `${command} was cancelled.`)
      if (signal?.aborted === true) {
        reject(cancelled())
        return
      }
      const id = this.#nextId++
      const onAbort = () => {
        if (!this.#open.delete(id)) return
        this.#post({ kind: 'cancel', id })
        reject(cancelled())
      }
      const settle = () => signal?.removeEventListener('abort', onAbort)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#open.set(id, {
        resolve: (output) => {
          settle()
          resolve(output)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      })
      this.#post({ kind: 'request', id, command, input: withUtcQuery(command, input) })
    })
  }

  #post(message: ToCore): void {
    this.#transport?.send(JSON.stringify(message))
  }

  #receive(text: string): void {
    let message: FromCore
    try {
      message = JSON.parse(text) as FromCore
    } catch {
      // Not JSON, so not from our core.
      return
    }
    switch (message.kind) {
      case 'native':
        this.#notify(message.event, message.payload)
        return
      case 'missed':
        this.#lastSeq = message.seq
        this.#notifyGap()
        return
      case 'event':
        if (this.#lastSeq !== 0 && message.seq !== this.#lastSeq + 1) this.#notifyGap()
        this.#lastSeq = message.seq
        this.#notify(message.event, message.payload)
        return
      case 'response': {
        const call = this.#open.get(message.id)
        if (call === undefined) return
        this.#open.delete(message.id)
        if (message.ok) call.resolve(message.output)
        else call.reject(AppError.fromWire(message.error))
      }
    }
  }

  #notify(event: string, payload: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(payload)
  }

  #notifyGap(): void {
    for (const listener of this.#gapListeners) listener()
  }

  readonly on: Client['on'] = (event, listener) =>
    this.#subscribe(event, listener as (payload: unknown) => void)

  readonly onNative: Client['onNative'] = (event, listener) =>
    this.#subscribe(event, listener as (payload: unknown) => void)

  #subscribe(event: string, listener: (payload: unknown) => void): () => void {
    const set = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, set)
    set.add(listener)
    return () => {
      set.delete(listener)
    }
  }

  readonly onGap = (listener: () => void): (() => void) => {
    this.#gapListeners.add(listener)
    return () => {
      this.#gapListeners.delete(listener)
    }
  }
}
