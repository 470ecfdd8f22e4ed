/** Options of commands that send to an endpoint: its CA certificate and consent for remote hosts and live mode. */
import type { Command } from './context.ts'
import { handlerNameIn } from '../shared/http.ts'
import { printableText } from '../shared/text/printable.ts'
import { readFilled, readMany } from './arguments.ts'
import { readNamedFile } from './inputs.ts'
import type { Session } from './session.ts'

export interface TargetOptions {
  readonly targetCa?: string
  readonly allowHost?: readonly string[]
  readonly live?: true
}

/** `live` is the help text of `--live`. */
export function addTargetOptions(command: Command, live: string): Command {
  return command
    .option(
      '--target-ca <file>',
      "verify the endpoint's certificate against this CA certificate (PEM)",
      readFilled,
    )
    .option('--allow-host <host>', 'allow sending to this remote host (repeatable)', readMany)
    .option('--live', live)
}

/** Reads the options for the core, including the CA file. */
export async function readTargetOptions({
  targetCa,
  allowHost = [],
  live,
}: TargetOptions): Promise<{
  readonly targetCa: string | null
  readonly allowHosts: string[]
  readonly live: boolean
}> {
  return {
    targetCa: targetCa === undefined ? null : (await readNamedFile(targetCa)).toString('utf8'),
    allowHosts: [...allowHost],
    live: live === true,
  }
}

interface SentTo {
  /** Null for the URL of each delivery's hook. */
  readonly target: string | null
  readonly handlerId: string | null
}

/** Names the endpoint that requests go to, such as "Replaying to @local: URL". Null if the user typed its URL. */
export async function endpointNote(
  { client }: Pick<Session, 'client'>,
  verb: string,
  { target, handlerId }: SentTo,
  { to }: { readonly to?: string },
): Promise<string | null> {
  if (to !== undefined && handlerNameIn(to) === null) return null
  if (target === null) return `${verb} the registered URL of each delivery's hook.`
  const { handlers } =
    handlerId === null ? { handlers: [] } : await client.call('handlers.list', {})
  const saved = handlers.find(({ id }) => id === handlerId)
  if (saved === undefined) return printableText(`${verb} ${target}.`)
  return printableText(
    `${verb} ${to === undefined ? 'the current handler, ' : ''}@${saved.name}: ${target}`,
  )
}
