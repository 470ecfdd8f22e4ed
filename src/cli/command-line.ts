/** Runs a `countersign` command without touching the process, so that several can run in one. */
import { randomBytes } from 'node:crypto'
import { resolveDataFolder } from '../core/base/data-folder.ts'
import { version } from '../../package.json'
import { AppError } from '../shared/contract/errors.ts'
import { printableLines } from '../shared/text/printable.ts'
import {
  type CommandContext,
  type CommandStreams,
  EXIT,
  exitCodeOf,
  explainError,
  type ExitCode,
} from './context.ts'
import { Output } from './print.ts'
import { createProgram, printingCommands } from './program.ts'
import { chooseDataFolder } from './repository-data.ts'

export interface ProcessContext extends CommandStreams {
  /** Folder of this build, ending in a slash. */
  readonly build: URL
  /** Called if the command must finish even if nobody reads its output. */
  ignoreClosedPipe?(): void
}

/** Returns the value of `--data`, even if a bug occurs before the options are parsed. */
function dataOptionOf(words: readonly string[]): string | undefined {
  const index = words.findIndex((word) => word === '--data' || word.startsWith('--data='))
  const word = words[index]
  return word === '--data' ? words[index + 1] : word?.slice('--data='.length)
}

/** Returns the data folder for a bug's report, even if the setup file is wrong. */
function logFolder(words: readonly string[], env: CommandStreams['env']): string {
  const place = { option: dataOptionOf(words), env }
  try {
    return chooseDataFolder(place).folder
  } catch {
    return resolveDataFolder(place)
  }
}

/**
 * Resolves with the exit code once everything is closed. Never rejects: prints failures to
 * `stderr`.
 */
export async function runCommandLine(
  words: readonly string[],
  processContext: ProcessContext,
): Promise<ExitCode> {
  const { build, env, stdin, stdout, stderr, ignoreClosedPipe } = processContext
  let exitCode: ExitCode = EXIT.done
  const context: CommandContext = {
    version,
    build,
    env,
    stdin,
    output: new Output({ stdout, stderr, env }),
    now: () => Date.now(),
    async reportBug(error, where) {
      const { createFileLog } = await import('../core/app/file-log.ts')
      const dataFolder = logFolder(words, env)
      return AppError.internal(createFileLog({ dataFolder, randomBytes }).bug(error, where)).message
    },
    exit(code) {
      exitCode = code
    },
    runAnother: (otherWords, streams) => runCommandLine(otherWords, { build, ...streams }),
  }
  try {
    const writers = {
      writeOut: (text: string) => stdout.write(text),
      writeErr: (text: string) => stderr.write(printableLines(text)),
    }
    const program = await createProgram(context, writers, words)
    program.hook('preAction', (_program, command) => {
      if (!printingCommands.has(command.name())) ignoreClosedPipe?.()
    })
    await program.parseAsync([...words], { from: 'user' })
    return exitCode
  } catch (error) {
    const sentence = explainError(error)
    if (sentence !== null)
      for (const line of (sentence ?? (await context.reportBug(error, 'command line'))).split('\n'))
        context.output.note(line)
    return exitCodeOf(error)
  }
}
