/**
 * What a command reads from files and standard input: secrets, which should not stand in the history of a shell, and bodies,
 * which are bytes. Standard input has one reader at most.
 */
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { readOnce } from './arguments.ts'
import type { CommandContext } from './context.ts'
import { UsageError } from './failure.ts'

const STANDARD_INPUT = '-'

export interface SecretOptions {
  readonly secret?: string
  readonly secretFile?: string
}

export interface BodyOption {
  readonly body?: string
}

export function addSecretOptions(command: Command): Command {
  return command
    .option('--secret <secret>', 'secret of the hook; - reads it from standard input (default: COUNTERSIGN_SECRET)', readOnce)
    .option('--secret-file <file>', 'file that holds the secret', readOnce)
}

export function addBodyOption(command: Command): Command {
  return command.option('--body <file>', 'file that holds the body, byte for byte; - or absent: standard input', readOnce)
}

async function readStandardInput(context: CommandContext): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of context.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

/** A secret from a file or from standard input usually ends with the line; that end is no part of it. */
function withoutLineEnd(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\r?\n$/, '')
}

/** Reads the secret from the one source given. Throws `UsageError` where there is none, more than one, or an empty one. */
export async function readSecret(context: CommandContext, options: SecretOptions): Promise<string> {
  const { secret, secretFile } = options
  if (secret !== undefined && secretFile !== undefined) {
    throw new UsageError('Both --secret and --secret-file are given. Give one of them.')
  }
  const [source, value] =
    secretFile !== undefined
      ? [`--secret-file ${secretFile}`, withoutLineEnd(await readFile(secretFile))]
      : secret === STANDARD_INPUT
        ? ['Standard input', withoutLineEnd(await readStandardInput(context))]
        : secret !== undefined
          ? ['--secret', secret]
          : ['COUNTERSIGN_SECRET', context.env['COUNTERSIGN_SECRET']]
  if (value === undefined) {
    throw new UsageError('A secret is needed: give --secret, --secret-file or the variable COUNTERSIGN_SECRET.')
  }
  if (value === '') throw new UsageError(`${source} holds an empty secret.`)
  return value
}

/** Reads the body's bytes and the secret. Throws `UsageError` where both would come from standard input, or a person would have to type the body. */
export async function readBodyAndSecret(
  context: CommandContext,
  options: SecretOptions & BodyOption,
): Promise<{ readonly body: Uint8Array; readonly secret: string }> {
  const fromInput = options.body === undefined || options.body === STANDARD_INPUT
  if (fromInput && options.secret === STANDARD_INPUT) {
    throw new UsageError('The secret and the body cannot both come from standard input. Give the body with --body FILE.')
  }
  if (fromInput && options.body === undefined && context.stdin.isTTY === true) {
    throw new UsageError('The body is missing: give it with --body FILE, or on standard input.')
  }
  const secret = await readSecret(context, options)
  return { secret, body: fromInput ? await readStandardInput(context) : await readFile(options.body ?? '') }
}
