/** Core's end of a connection: answers one client's requests, and waits if it stops reading. */
import { z } from 'zod'
import { AppError } from '../contract/errors.ts'
import type { EventName, PayloadOf } from '../contract/contract.ts'
import type { FromCore, ResponseMessage } from './messages.ts'
import { readyText } from './ready-json.ts'
import type { Transport } from './transport.ts'

/** Unread bytes above which events are dropped and responses wait, to save memory. */
const MOST_UNREAD_BYTES = 8 * 1_048_576
/** Time between checks whether a client reads again. */
const CHECK_MS = 50
/** Time without reading after which the client is disconnected. */
const PATIENCE_MS = 5_000

const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, CHECK_MS))

const toCoreSchema = z.union([
  z.object({
    kind: z.literal('request'),
    id: z.number().int(),
    command: z.string(),
    input: z.unknown(),
  }),
  z.object({ kind: z.literal('cancel'), id: z.number().int() }),
])

export interface RpcCaller {
  /** Aborted when the caller cancels or the connection closes. */
  readonly signal: AbortSignal
  readonly session?: string | undefined
  readonly isWindow: boolean
}

export interface RpcConnection {
  /** Sends an event, or counts it as missed if the client has stopped reading. */
  emit<K extends EventName>(event: K, payload: PayloadOf<K>): void
  close(): void
}

interface Server {
  answer(command: string, input: unknown, caller: RpcCaller): Promise<unknown>
  /** Logs a bug and returns its short reference. */
  reportBug(error: unknown, command: string): string
}

export class ServedConnection implements RpcConnection {
  readonly #transport: Transport
  readonly #server: Server
  readonly #running = new Map<number, AbortController>()
  readonly #stopListening: () => void
  #seq = 0
  #isClosed = false
  #hasMissed = false

  constructor(transport: Transport, server: Server) {
    this.#transport = transport
    this.#server = server
    this.#stopListening = transport.onMessage((text) => this.#receive(text))
  }

  #receive(text: string): void {
    let raw: unknown
    try {
      raw = JSON.parse(text)
    } catch {
      // Not JSON, so there is no ID to respond to.
      return
    }
    const message = toCoreSchema.safeParse(raw)
    if (!message.success) return
    if (message.data.kind === 'cancel') this.#running.get(message.data.id)?.abort()
    else void this.#serve(message.data.id, message.data.command, message.data.input)
  }

  async #serve(id: number, command: string, input: unknown): Promise<void> {
    const controller = new AbortController()
    this.#running.set(id, controller)
    try {
      const { session, isWindow = false } = this.#transport
      const caller = { signal: controller.signal, session, isWindow }
      const output = (await this.#server.answer(command, input, caller)) ?? null
      const text = readyText(output)
      // Sent inside the try, because an output that can't become JSON is a handler bug.
      if (controller.signal.aborted) return
      await this.#respond(
        text === undefined
          ? JSON.stringify({ kind: 'response', id, ok: true, output } satisfies FromCore)
          : `{"kind":"response","id":${id},"ok":true,"output":${text}}`,
      )
    } catch (error) {
      // A cancelled call ends with the cancellation: not a bug, and nobody waits.
      if (controller.signal.aborted && error === controller.signal.reason) return
      const response = this.#failure(id, error, command)
      if (!controller.signal.aborted) await this.#respond(JSON.stringify(response))
    } finally {
      this.#running.delete(id)
    }
  }

  #failure(id: number, error: unknown, command: string): ResponseMessage {
    const expected =
      error instanceof AppError ? error : AppError.internal(this.#server.reportBug(error, command))
    return { kind: 'response', id, ok: false, error: expected.toWire() }
  }

  /** Sends a response once there is room; disconnects a client that reads nothing. */
  async #respond(text: string): Promise<void> {
    let unread = this.#unreadBytes()
    let idleMs = 0
    while (!this.#isClosed && this.#unreadBytes() > MOST_UNREAD_BYTES) {
      if (idleMs >= PATIENCE_MS) {
        this.close()
        this.#transport.end?.('Too many unread responses. Connect again, and read them.')
        return
      }
      await pause()
      if (this.#unreadBytes() < unread) idleMs = 0
      idleMs += CHECK_MS
      unread = this.#unreadBytes()
    }
    if (!this.#isClosed) this.#transport.send(text)
  }

  #unreadBytes(): number {
    return this.#transport.unread?.() ?? 0
  }

  #post(message: FromCore): void {
    if (!this.#isClosed) this.#transport.send(JSON.stringify(message))
  }

  readonly emit: RpcConnection['emit'] = (event, payload) => {
    this.#seq++
    if (this.#hasMissed) return
    if (this.#unreadBytes() <= MOST_UNREAD_BYTES)
      this.#post({ kind: 'event', seq: this.#seq, event, payload })
    else {
      this.#hasMissed = true
      void this.#reportMissed()
    }
  }

  /** Reports missed events, once the client has read the earlier ones. */
  async #reportMissed(): Promise<void> {
    while (!this.#isClosed && this.#unreadBytes() > MOST_UNREAD_BYTES) await pause()
    this.#hasMissed = false
    this.#post({ kind: 'missed', seq: this.#seq })
  }

  readonly close = (): void => {
    this.#isClosed = true
    this.#stopListening()
    for (const controller of this.#running.values()) controller.abort()
  }
}
