/** The typed client of the contract, over any transport. */
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
import type { FromCore, ToCore, Transport } from './transport.ts'

export interface CallOptions {
  /** Cancels the call: the core is notified, and the promise rejects with `CANCELLED`. */
  readonly signal?: AbortSignal
}

export interface Client {
  /** Calls a command. Rejects with an `AppError` with one of the contract's codes. */
  call<K extends CommandName>(
    command: K,
    input: InputOf<K>,
    options?: CallOptions,
  ): Promise<OutputOf<K>>
  /** Calls a command that only a desktop host has; elsewhere it rejects with `UNSUPPORTED`. */
  callNative<K extends NativeCommandName>(
    command: K,
    input: NativeInputOf<K>,
  ): Promise<NativeOutputOf<K>>
  /** Subscribes to one kind of event; returns a function that unsubscribes. */
  on<K extends EventName>(event: K, listener: (payload: PayloadOf<K>) => void): () => void
  /** Subscribes to an event that only a desktop host sends; returns a function that unsubscribes. */
  onNative<K extends NativeEventName>(
    event: K,
    listener: (payload: NativePayloadOf<K>) => void,
  ): () => void
  /** Called when events were lost (a gap in their numbers): load the snapshot again. */
  onGap(listener: () => void): () => void
  /**
   * Called by the owner of the connection when it is lost: rejects open and later calls with
   * `DISCONNECTED`. Listeners stay for the next connection.
   */
  disconnect(reason: string): void
  /** Uses a new connection; events missed in between are left to the owner of the snapshots. */
  connect(transport: Transport): void
}

/** Commands that read a query at once; others store it, and `today` means another day each time. */
const READS_QUERY = /^(?:deliveries|exchange|replay|statistics|timeline)\./

/** Times in a query are those of the user's computer, where they are also shown; the core may run in another time zone. */
function inReadersZone(command: string, input: unknown): unknown {
  if (!READS_QUERY.test(command) || typeof input !== 'object' || input === null) return input
  const here = (query: unknown) =>
    typeof query === 'string' ? withUtcTimes(query, Date.now()) : query
  if ('query' in input) return { ...input, query: here(input.query) }
  if ('queries' in input && Array.isArray(input.queries))
    return { ...input, queries: input.queries.map(here) }
  return input
}

interface OpenCall {
  readonly resolve: (output: unknown) => void
  readonly reject: (error: Error) => void
}

/** Creates a client; without a transport, calls are rejected until it is connected. */
export function createClient(first?: Transport): Client {
  const open = new Map<number, OpenCall>()
  const listeners = new Map<string, Set<(payload: unknown) => void>>()
  const gapListeners = new Set<() => void>()
  let nextId = 1
  let lastSeq = 0
  let gone: string | null = 'Not connected to Countersign.'
  let transport: Transport | undefined
  let stopListening: (() => void) | undefined

  const post = (message: ToCore) => transport?.send(JSON.stringify(message))

  const hear = (text: string) => {
    let message: FromCore
    try {
      message = JSON.parse(text) as FromCore
    } catch {
      // Not JSON, so not from our core, and it belongs to no call.
      return
    }
    if (message.kind === 'native') {
      for (const listener of listeners.get(message.event) ?? []) listener(message.payload)
      return
    }
    if (message.kind === 'missed') {
      lastSeq = message.seq
      for (const listener of gapListeners) listener()
      return
    }
    if (message.kind === 'event') {
      if (lastSeq !== 0 && message.seq !== lastSeq + 1)
        for (const listener of gapListeners) listener()
      lastSeq = message.seq
      for (const listener of listeners.get(message.event) ?? []) listener(message.payload)
      return
    }
    const call = open.get(message.id)
    if (call === undefined) return
    open.delete(message.id)
    if (message.ok) call.resolve(message.output)
    else call.reject(AppError.fromWire(message.error))
  }

  const connect = (next: Transport) => {
    stopListening?.()
    transport = next
    gone = null
    lastSeq = 0
    stopListening = next.onMessage(hear)
  }
  if (first !== undefined) connect(first)

  const request = (command: string, input: unknown, signal?: AbortSignal) =>
    new Promise<unknown>((resolve, reject) => {
      if (gone !== null) {
        reject(new AppError('DISCONNECTED', gone))
        return
      }
      const cancelled = () => new AppError('CANCELLED', `${command} was cancelled.`)
      if (signal?.aborted === true) {
        reject(cancelled())
        return
      }
      const id = nextId++
      const onAbort = () => {
        if (!open.delete(id)) return
        post({ kind: 'cancel', id })
        reject(cancelled())
      }
      const settle = () => signal?.removeEventListener('abort', onAbort)
      signal?.addEventListener('abort', onAbort, { once: true })
      open.set(id, {
        resolve: (output) => {
          settle()
          resolve(output)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      })
      post({ kind: 'request', id, command, input: inReadersZone(command, input) })
    })

  const subscribe = (event: string, listener: (payload: unknown) => void) => {
    const set = listeners.get(event) ?? new Set()
    listeners.set(event, set)
    set.add(listener)
    return () => {
      set.delete(listener)
    }
  }

  return {
    call: (command, input, options) =>
      request(command, input, options?.signal) as Promise<OutputOf<typeof command>>,
    callNative: (command, input) =>
      request(command, input) as Promise<NativeOutputOf<typeof command>>,
    on: (event, listener) => subscribe(event, listener as (payload: unknown) => void),
    onNative: (event, listener) => subscribe(event, listener as (payload: unknown) => void),
    onGap(listener) {
      gapListeners.add(listener)
      return () => {
        gapListeners.delete(listener)
      }
    },
    disconnect(reason) {
      gone = reason
      for (const call of open.values()) call.reject(new AppError('DISCONNECTED', reason))
      open.clear()
    },
    connect,
  }
}
