/** Server side of the contract: parses input, calls the handler, and reports errors. */
import type { z } from 'zod'
import { AppError } from '../contract/errors.ts'
import {
  commands,
  type CommandName,
  type OutputOf,
  type ParsedInputOf,
} from '../contract/contract.ts'
import {
  nativeCommands,
  type NativeCommandName,
  type NativeInputOf,
  type NativeOutputOf,
} from '../contract/native.ts'
import type { Consent } from '../model/consent.ts'
import { describeInput, inputParseOptions } from './input-problems.ts'
import { type ReadyJson, readyText } from './ready-json.ts'
import { type RpcCaller, type RpcConnection, ServedConnection } from './served-connection.ts'
import type { Transport } from './transport.ts'

export interface HandlerContext extends RpcCaller {
  readonly consent: Consent
}

/** Omits names from each member of a union. */
type Without<Input, Names extends string> = Input extends unknown ? Omit<Input, Names> : never
/** Input without the consent, which is in the context. */
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
  /** Absent if the host isn't a desktop. */
  readonly native?: NativeHandlers
  /** Consent that the user gave in the window, for its calls. */
  readonly windowConsent: () => Consent
  /** Logs a bug and returns its short reference. */
  readonly reportBug: (error: unknown, command: string) => string
  /** Checks outputs against the contract, for tests. */
  readonly checkOutput?: boolean
}

function isNative(name: string): name is NativeCommandName {
  return Object.hasOwn(nativeCommands, name)
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name)
}

/** Parses input. Throws `INVALID_INPUT` with a finding per field. */
function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input, inputParseOptions)
  if (parsed.success) return parsed.data
  const { problems, message } = describeInput(parsed.error)
  throw new AppError('INVALID_INPUT', message, { details: problems })
}

export class RpcRouter {
  readonly #options: RouterOptions

  constructor(options: RouterOptions) {
    this.#options = options
  }

  connect(transport: Transport): RpcConnection {
    return new ServedConnection(transport, {
      answer: (command, input, caller) => this.#answer(command, input, caller),
      reportBug: this.#options.reportBug,
    })
  }

  async #answer(command: string, input: unknown, caller: RpcCaller): Promise<unknown> {
    if (isNative(command)) return this.#answerNative(command, input)
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
    const consent = caller.isWindow ? this.#options.windowConsent() : { allowHosts, live }
    const handler = this.#options.handlers[command] as (
      input: unknown,
      context: HandlerContext,
    ) => Promise<unknown>
    const output = await handler(parsed, { ...caller, consent })
    return this.#options.checkOutput === true ? checkedOutput(command, output) : output
  }

  async #answerNative(command: NativeCommandName, input: unknown): Promise<unknown> {
    const { native } = this.#options
    if (native === undefined)
      throw new AppError(
        'UNSUPPORTED',
        `${command} needs the desktop app; this is the app in a browser.`,
      )
    const parsed = parseInput<unknown>(nativeCommands[command].input, input)
    const handler = native[command] as (input: unknown) => Promise<unknown>
    return handler(parsed)
  }
}

function checkedOutput(command: CommandName, output: unknown): unknown {
  const schema = commands[command].output
  const text = readyText(output)
  if (text === undefined) return schema.parse(output)
  schema.parse(JSON.parse(text))
  return output
}
