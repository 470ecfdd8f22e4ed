/** The options that describe an environment, as `environments add` and `update` take them, and how one is printed. */
import { Option, type Command } from 'commander'
import type { Environment } from '../shared/model/environment.ts'
import { readFilled, readOnce, readSeconds } from './arguments.ts'
import type { CommandContext, DataOption } from './context.ts'
import { readNamedFile, type AccountSecretOptions } from './inputs.ts'
import { createColumns, type Cell } from './output.ts'

export interface AccountOptions extends DataOption, AccountSecretOptions {
  readonly baseUrl?: string
  readonly prefix?: string
  readonly ack?: '200' | '2xx'
  readonly auth?: 'service-key' | 'bearer'
  readonly clientId?: string
  readonly tokenUrl?: string
  readonly authHeader?: string
  /** A file; false where `--no-ca` is given. */
  readonly ca?: string | false
  readonly proxy?: string | false
  readonly timeout?: number
  readonly json?: true
}

export function addAccountOptions(command: Command): Command {
  return command
    .addOption(new Option('--auth <kind>', 'how calls are authenticated').choices(['service-key', 'bearer']))
    .option('--client-id <id>', 'for bearer: who asks for the token', readOnce)
    .option('--token-url <url>', 'for bearer: where the token is asked for', readOnce)
    .option('--auth-header <name>', 'for bearer: the header that carries it (at first: Authentication)', readOnce)
    .option('--prefix <name>', "the service's own name in its header names (at first: service)", readOnce)
    .option('--ca <file>', 'certificate authority to trust beside those of the system, PEM', readFilled)
    .option('--proxy <url>', 'HTTP proxy to go through', readOnce)
    .option('--timeout <seconds>', 'how long an answer may take (at first: 30)', readSeconds)
    .addOption(new Option('--ack <rule>', 'which answers acknowledge a delivery (at first: 200)').choices(['200', '2xx']))
}

/** The fields that both commands give to the core as they stand; the file of the authority is read. */
export async function accountFields(options: AccountOptions) {
  const { baseUrl, prefix, ack, auth, clientId, tokenUrl, authHeader, ca, proxy, timeout } = options
  const caPem = ca === false ? null : ca === undefined ? undefined : (await readNamedFile(ca)).toString('utf8')
  return {
    baseUrl,
    prefix,
    ack,
    auth,
    clientId,
    tokenUrl,
    authHeader,
    caPem,
    proxy: proxy === false ? null : proxy,
    timeoutMs: timeout === undefined ? undefined : Math.round(timeout),
  }
}

export function environmentCells(environment: Environment): Cell[] {
  return [
    { text: environment.current ? '*' : ' ' },
    { text: environment.name },
    { text: environment.mode, colour: environment.mode === 'live' ? 'red' : null },
    { text: environment.baseUrl || '-' },
    { text: environment.prefix },
    { text: environment.auth },
    { text: environment.ack },
    { text: environment.key ?? 'no key' },
  ]
}

/** The environments, a line each. */
export function printEnvironments(context: CommandContext, environments: readonly Environment[], asJson: boolean): void {
  const { output } = context
  if (asJson) for (const environment of environments) output.json(environment)
  else for (const line of createColumns(output)(environments.map(environmentCells))) output.line(line)
}
