/** Entry of the `countersign` command: fills in its surroundings, runs it, and ends the process with its exit code. */
import { randomBytes } from 'node:crypto'
import { resolveDataFolder } from '../core/data-folder.ts'
import { createFileLog } from '../core/file-log.ts'
import { version } from '../../package.json'
import type { CommandContext } from './context.ts'
import { EXIT, exitCodeOf, explain, type ExitCode } from './failure.ts'
import { createOutput } from './output.ts'
import { createProgram } from './program.ts'

/** Logs a bug where the user's data lies; the sentence on the terminal names only its reference. */
function reportBug(error: unknown): string {
  const dataFolder = resolveDataFolder({ option: dataOptionOf(process.argv) })
  return createFileLog({ dataFolder, randomBytes }).bug(error, 'command line')
}

/** A bug may come before the options were read, so the one that matters is looked up by hand. */
function dataOptionOf(argv: readonly string[]): string | undefined {
  const index = argv.findIndex((word) => word === '--data' || word.startsWith('--data='))
  const word = argv[index]
  return word === '--data' ? argv[index + 1] : word?.slice('--data='.length)
}

async function run(): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.done
  const context: CommandContext = {
    version,
    build: new URL('./', import.meta.url),
    env: process.env,
    stdin: process.stdin,
    output: createOutput(process),
    now: () => Date.now(),
    exit(code) {
      exitCode = code
    },
  }
  try {
    await createProgram(context, (text) => process.stderr.write(text)).parseAsync(process.argv)
    return exitCode
  } catch (error) {
    const sentence = explain(error, reportBug)
    if (sentence !== null) context.output.note(sentence)
    return exitCodeOf(error)
  }
}

/** Whoever reads our output may have had enough (`| head`): that is no failure, and nothing to talk about. */
function endQuietlyOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(EXIT.done)
      throw error
    })
  }
}

endQuietlyOnClosedPipe()
const exitCode = await run()
// What is still on its way to a slow reader is let through before the process ends.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))))
process.exit(exitCode)
