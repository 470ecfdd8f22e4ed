/**
 * Runs commands from standard input in turn. Each line is a JSON array of words, each result a line
 * of JSON.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { EXIT } from './context.ts'
import type { CommandRun } from './session.ts'

const wordsSchema = z.array(z.string())

function wordsOf(line: string): readonly string[] | undefined {
  try {
    return wordsSchema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

/** Resolves when standard input ends or the signal aborts, even if a command is still running. */
export async function runPipedCommands(
  { env, output, runAnother, stdin }: CommandRun,
  dataFolder: string,
  signal: AbortSignal,
): Promise<void> {
  async function runLine(line: string): Promise<void> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const texts = Promise.all([text(stdout), text(stderr)])
    const words = wordsOf(line)
    if (words === undefined)
      stderr.write('Expected a JSON array of strings, such as ["show", "latest"].')
    const commandEnv = { ...env, COUNTERSIGN_DATA: dataFolder }
    const code =
      words === undefined
        ? EXIT.usage
        : await runAnother(words, { env: commandEnv, stdin: Readable.from([]), stdout, stderr })
    stdout.end()
    stderr.end()
    const [out, err] = await texts
    output.json({ code, stdout: out, stderr: err })
  }

  const lines = createInterface({ input: stdin, signal })
  let lastCommand = Promise.resolve()
  lines.on('line', (line) => {
    lastCommand = lastCommand.then(() => runLine(line))
  })
  await once(lines, 'close')
}
