/** The server side of the contract: parses input, calls the handler, and reports errors in the contract's terms. */
import { z } from 'zod'
import { AppError } from '../contract/errors.ts'
import {
  commands,
  type CommandName,
  type EventName,
  type OutputOf,
  type ParsedInputOf,
  type PayloadOf,
} from '../contract/contract.ts'
import {
  nativeCommands,
  type NativeCommandName,
  type NativeInputOf,
  type NativeOutputOf,
} from '../contract/native.ts'
import type { Consent } from '../model/consent.ts'
import type { FromCore, ResponseMessage, Transport } from './transport.ts'
import { describeInput, inInputWords } from './input-problems.ts'

export interface HandlerContext {
  /** Aborted when the caller cancels or the connection closes. */
  readonly signal: AbortSignal
  /** The ID of the calling browser's session. */
  readonly session?: string | undefined
  /** Whether the app's window calls. */
  readonly isWindow: boolean
  readonly consent: Consent
}

type Without<Input, Names extends string> = Input extends unknown ? Omit<Input, Names> : never
/** A command's parsed input, without its consent. */
export type HandlerInput<K extends CommandName> = Without<ParsedInputOf<K>, keyof Consent>

export type Handlers = {
  readonly [K in CommandName]: (
    input: HandlerInput<K>,
    context: HandlerContext,
  ) => Promise<OutputOf<K> | ReadyJson<OutputOf<K>>>
}

export type NativeHandlers = {
  readonly [K in NativeCommandName]: (input: NativeInputOf<K>) => Promise<NativeOutputOf<K>>
}

interface RouterOptions {
  readonly handlers: Handlers
  /** Missing if the host isn't a desktop: native commands are then rejected. */
  readonly native?: NativeHandlers
  /** Consent of the window's calls. */
  readonly keptConsent: () => Consent
  /** Logs a bug and returns the short reference sent in its place. */
  readonly reportBug: (error: unknown, command: string) => string
  /** Also checks outputs against the contract: for tests. */
  readonly checkOutput?: boolean
}

export interface RpcConnection {
  /** Sends an event, or counts it as missed if the client has stopped reading. */
  emit<K extends EventName>(event: K, payload: PayloadOf<K>): void
  /** Stops listening and aborts calls in progress. */
  close(): void
}

// A client that stops reading, like a suspended command, must not fill this process's memory.

/** Bytes that may be unread before events are dropped and responses wait. */
const MOST_UNREAD = 8 * 1_048_576
/** How often to look whether a client reads again, in milliseconds. */
const CHECK_MS = 50
/** A client that has read nothing for this long, with a response waiting, is disconnected. */
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

function isNative(name: string): name is NativeCommandName {
  return Object.hasOwn(nativeCommands, name)
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

/** A command's parsed input. Throws `INVALID_INPUT`, with one finding per field, if it is invalid. */
function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input, inInputWords)
  if (parsed.success) return parsed.data
  const { problems, message } = describeInput(parsed.error)
  throw new AppError('INVALID_INPUT', message, { details: problems })
}

export function createRouter(options: RouterOptions) {
  async function answerNative(command: NativeCommandName, input: unknown): Promise<unknown> {
    if (options.native === undefined)
      throw new AppError(
        'UNSUPPORTED',
        `${command} needs the desktop app; this is the app in a browser.`,
      )
    const parsed = parseInput<unknown>(nativeCommands[command].input, input)
    const handler = options.native[command] as (input: unknown) => Promise<unknown>
    return handler(parsed)
  }

  async function answer(
    command: string,
    input: unknown,
    context: Omit<HandlerContext, 'consent'>,
  ): Promise<unknown> {
    if (isNative(command)) return answerNative(command, input)
    if (!isCommand(command))
      throw new AppError(
        'UNKNOWN_COMMAND',
        `Unknown command "${command}". Use the same version of Countersign on both sides.`,
      )
    const {
      allowHosts = [],
      live = false,
      ...parsed
    } = parseInput<object & Partial<Consent>>(commands[command].input, input)
    const consent = context.isWindow ? options.keptConsent() : { allowHosts, live }
    const handler = options.handlers[command] as (
      input: unknown,
      context: HandlerContext,
    ) => Promise<unknown>
    const output = await handler(parsed, { ...context, consent })
    if (options.checkOutput !== true) return output
    const text = readyText(output)
    if (text === undefined) return commands[command].output.parse(output)
    commands[command].output.parse(JSON.parse(text))
    return output
  }

  return {
    connect(transport: Transport): RpcConnection {
      const running = new Map<number, AbortController>()
      let seq = 0
      let closed = false

      let missed = false

      const unread = () => transport.unread?.() ?? 0
      const post = (message: FromCore) => {
        if (!closed) transport.send(JSON.stringify(message))
      }

      /** Tells the client that it missed events, once it has read the earlier ones. */
      const tellMissed = async () => {
        while (!closed && unread() > MOST_UNREAD) await pause()
        missed = false
        post({ kind: 'missed', seq })
      }

      /** Sends a response once there is room for it, or gives the client up. */
      const respond = async (text: string) => {
        let before = unread()
        for (let waited = 0; !closed && unread() > MOST_UNREAD; waited += CHECK_MS) {
          if (waited >= PATIENCE_MS) {
            close()
            transport.end?.('Too many unread responses. Connect again, and read them.')
            return
          }
          await pause()
          if (unread() < before) waited = 0
          before = unread()
        }
        if (!closed) transport.send(text)
      }

      const failed = (id: number, error: unknown, command: string): ResponseMessage => ({
        kind: 'response',
        id,
        ok: false,
        error: (error instanceof AppError
          ? error
          : AppError.internal(options.reportBug(error, command))
        ).toWire(),
      })

      const serve = async (id: number, command: string, input: unknown) => {
        const controller = new AbortController()
        running.set(id, controller)
        try {
          const { session, isWindow = false } = transport
          const context = { signal: controller.signal, session, isWindow }
          const output = (await answer(command, input, context)) ?? null
          const text = readyText(output)
          // Sent inside the try: an output that can't become JSON is a handler bug, and the caller must learn of it.
          if (controller.signal.aborted) return
          await respond(
            text === undefined
              ? JSON.stringify({ kind: 'response', id, ok: true, output } satisfies FromCore)
              : `{"kind":"response","id":${id},"ok":true,"output":${text}}`,
          )
        } catch (error) {
          // A cancelled call ends with the cancellation as its reason: not a bug, and nobody waits for the result.
          if (controller.signal.aborted && error === controller.signal.reason) return
          const response = failed(id, error, command)
          if (!controller.signal.aborted) await respond(JSON.stringify(response))
        } finally {
          running.delete(id)
        }
      }

      const stop = transport.onMessage((text) => {
        let raw: unknown
        try {
          raw = JSON.parse(text)
        } catch {
          // Not JSON, so there is no ID to respond to. The other side is broken or hostile and gets no response.
          return
        }
        const message = toCoreSchema.safeParse(raw)
        if (!message.success) return
        if (message.data.kind === 'cancel') running.get(message.data.id)?.abort()
        else void serve(message.data.id, message.data.command, message.data.input)
      })

      function close(): void {
        closed = true
        stop()
        for (const controller of running.values()) controller.abort()
      }

      return {
        emit(event, payload) {
          seq++
          if (missed) return
          if (unread() <= MOST_UNREAD) post({ kind: 'event', seq, event, payload })
          else {
            missed = true
            void tellMissed()
          }
        },
        close,
      }
    },
  }
}

// Output that is already JSON text is sent unchanged. The receiver's thread responds, and shouldn't parse and serialize a list that
// another thread has just serialized.

const TEXT = Symbol('JSON text')
declare const output: unique symbol

export interface ReadyJson<Output> {
  readonly [TEXT]: string
  /** The type of the parsed text. */
  readonly [output]?: Output
}

/** Marks a text as the JSON of a response; it must be valid. */
export function readyJson<Output>(text: string): ReadyJson<Output> {
  return { [TEXT]: text }
}

/** The text of a prepared response; undefined for a value. */
function readyText(answer: unknown): string | undefined {
  return typeof answer === 'object' && answer !== null && TEXT in answer
    ? (answer as ReadyJson<unknown>)[TEXT]
    : undefined
}
