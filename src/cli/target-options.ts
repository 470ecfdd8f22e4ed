/** The options of every command that sends to somebody's endpoint: which certificate is taken, and what is agreed to by name. */
import type { Command } from './context.ts'
import { readFilled, readMany } from './arguments.ts'
import { readNamedFile } from './inputs.ts'

export interface TargetOptions {
  readonly targetCa?: string
  readonly allowHost?: readonly string[]
  readonly live?: true
}

/** `live` says what is agreed to by `--live`. */
export function addTargetOptions(command: Command, live: string): Command {
  return command
    .option(
      '--target-ca <file>',
      'certificate authority that the certificate of the endpoint has to verify with, PEM',
      readFilled,
    )
    .option('--allow-host <host>', 'agree to sending to a host that is not this machine (again for more)', readMany)
    .option('--live', live)
}

/** The same as the core takes them; the file of the authority is read. */
export async function readTargetOptions({ targetCa, allowHost = [], live }: TargetOptions): Promise<{
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
