/** Options of commands that send to an endpoint: its CA certificate and consent for remote hosts and live mode. */
import type { Command } from './context.ts'
import { readFilled, readMany } from './arguments.ts'
import { readNamedFile } from './inputs.ts'

export interface TargetOptions {
  readonly targetCa?: string
  readonly allowHost?: readonly string[]
  readonly live?: true
}

/** `live` is the help text of `--live`. */
export function addTargetOptions(command: Command, live: string): Command {
  return command
    .option('--target-ca <file>', "verify the endpoint's certificate against this CA certificate (PEM)", readFilled)
    .option('--allow-host <host>', 'allow sending to this remote host (repeatable)', readMany)
    .option('--live', live)
}

/** Reads the options for the core, including the CA file. */
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
