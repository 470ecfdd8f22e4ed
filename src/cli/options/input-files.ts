/** Reads files that options name, and standard input. */
import { readFileSync } from 'node:fs'
import { withFilePath, type CommandContext } from '../context.ts'
import { type Optional, parsedOption, readFilled } from './input.ts'

export const STANDARD_INPUT = '-'

/** Sources of secrets and bodies, besides options. */
export type InputSource = Pick<CommandContext, 'env' | 'stdin'>

export function readNamedFile(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw withFilePath(error, file)
  }
}

export function textOfFile(flags: string, help: string): Optional<string> {
  return parsedOption(flags, help, (file, previous) =>
    readNamedFile(readFilled(file, previous)).toString('utf8'),
  )
}

export async function readStandardInput(context: InputSource): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of context.stdin) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
