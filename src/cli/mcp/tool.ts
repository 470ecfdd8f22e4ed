/** A tool: its arguments, the contract's commands that it calls, and the text that it returns. */
import { z } from 'zod'
import { optionWordsOf } from '../../shared/model/field-words.ts'
import type { CommandName, InputOf, OutputOf } from '../../shared/contract/contract.ts'
import type { Output } from '../print.ts'
import type { Session } from '../session.ts'
import type { ToolResult } from './result.ts'

export interface Call {
  /**
   * Opens existing data for reading; the next three open sessions that can send, receive or wait.
   */
  reading(): Promise<Session>
  sending(): Promise<Session>
  receiving(): Promise<Session>
  running(what: string): Promise<Session>
  /**
   * Starts a send; no other call can get consent to live mode. Rejects with what the user can do.
   */
  start<K extends CommandName>(
    session: Session,
    command: K,
    input: Omit<InputOf<K>, 'live'>,
  ): Promise<OutputOf<K>>
  readonly output: Output
  readonly printed: readonly string[]
  progress(message: string): void
  /** Returns the wall clock, in milliseconds since the epoch. */
  now(): number
  /** Aborts when the client cancels the call or is gone. */
  readonly signal: AbortSignal
}

interface ToolDefinition<Input extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: Input
  /** Whether the user's handler gets requests, and may process them. */
  readonly reachesHandler?: true
  run(input: z.output<Input>, call: Call): Promise<ToolResult>
}

export type Tool = ToolDefinition<z.ZodObject>

/** Defines a tool. Unknown arguments are rejected: an agent that guesses one expects an effect. */
export function defineTool<Input extends z.ZodObject>(row: ToolDefinition<Input>): Tool {
  const input: z.ZodObject = row.input.strict()
  return { ...row, input }
}

const DELIVERY = 'delivery ID (8 or more characters), latest, latest~N or latest:EVENT'

/** Help for arguments by name, or by tool and name; others have the help of their option. */
const help: Readonly<Record<string, string>> = {
  id: DELIVERY,
  ids: `${DELIVERY}; up to 20`,
  a: `${DELIVERY}; or the ID of a replay, or of one of its requests (ID.2)`,
  b: 'what to compare it with (default: the closest match, or the previous replay)',
  query:
    'documentation: words; deliveries: fields with whole values, such as event:transaction.* is:invalid response:failing after:2h card.lastNumbers:4001',
  since: 'time such as yesterday, 2d or 2026-11-20',
  page: 'page of the captured content, 8 kB each',
  limit: 'max number to list',
  count: 'number of deliveries to wait for',
  timeout: 'max seconds',
  computed: 'signature that your handler computed for this delivery (Base64 or hexadecimal)',
  url: 'registered URL to try instead of the stored one',
  text: 'the copied text: raw HTTP, a command, JSON, or headers and body, also inside a mail or log',
  event: 'event, for example transaction.auth',
  'flow_run.name': 'built-in flow, for example purchase-visa',
  handler: 'saved handler that gets the deliveries too: @NAME',
  target: 'your endpoint on this computer: @NAME, or a URL with hookIds',
  to: "your endpoint on this computer: a URL or @NAME (default: the current handler, else the hook's URL)",
  against: 'what to compare with: previous, or a handler on this computer as @NAME or URL',
  timestamp:
    'original: sign the captured timestamp, so that signature_explain fits what your handler computed',
}

export function inputSchemaOf({ name: tool, input }: Tool) {
  const { properties, required = [] } = z.toJSONSchema(input, { io: 'input' })
  const described = Object.entries(input.shape).map(([name, field]) => {
    const description =
      help[`${tool}.${name}`] ??
      help[name] ??
      optionWordsOf(field)?.help.replace(/ \(repeatable\)$/, '')
    return [name, { ...(properties?.[name] as object), ...(description && { description }) }]
  })
  const fields = z.record(z.string(), z.json()).parse(Object.fromEntries(described))
  return { type: 'object' as const, properties: fields, required, additionalProperties: false }
}
