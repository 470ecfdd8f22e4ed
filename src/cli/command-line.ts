/**
 * The whole `countersign` command except its process: context in, exit code out. It reads nothing else and never ends the
 * process, so commands can run repeatedly and side by side in one process.
 */
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
  explain,
  type ExitCode,
} from './context.ts'
import { Output } from './print.ts'
import { createProgram, onlyTells } from './program.ts'

export interface ProcessContext extends CommandStreams {
  /** Folder of this build, ending in a slash. */
  readonly build: URL
  /** Called if the command must finish even if nobody reads its output. */
  goOnUnread?(): void
}

/** A bug can occur before the options are parsed, so this looks up `--data` itself. */
function dataOptionOf(words: readonly string[]): string | undefined {
  const index = words.findIndex((word) => word === '--data' || word.startsWith('--data='))
  const word = words[index]
  return word === '--data' ? words[index + 1] : word?.slice('--data='.length)
}

/**
 * Runs a command and resolves with its exit code ("Exit codes" in docs/cli.md) once everything it opened is closed. Never rejects:
 * a failure is printed to `stderr`.
 */
export async function runCommandLine(
  words: readonly string[],
  surroundings: ProcessContext,
): Promise<ExitCode> {
  const { build, env, stdin, stdout, stderr, goOnUnread } = surroundings
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
      const dataFolder = resolveDataFolder({ option: dataOptionOf(words), env })
      return AppError.internal(createFileLog({ dataFolder, randomBytes }).bug(error, where)).message
    },
    exit(code) {
      exitCode = code
    },
    runAnother: (others, its) => runCommandLine(others, { build, ...its }),
  }
  try {
    const say = {
      writeOut: (text: string) => stdout.write(text),
      writeErr: (text: string) => stderr.write(printableLines(text)),
    }
    const program = await createProgram(context, say, words)
    program.hook('preAction', (_program, command) => {
      if (!onlyTells(command.name())) goOnUnread?.()
    })
    await program.parseAsync([...words], { from: 'user' })
    return exitCode
  } catch (error) {
    const sentence = explain(error)
    if (sentence !== null)
      for (const line of (sentence ?? (await context.reportBug(error, 'command line'))).split('\n'))
        context.output.note(line)
    return exitCodeOf(error)
  }
}
