/**
 * The whole of the `countersign` command but for the process around it: surroundings in, exit code out. Nothing here ends the
 * process or reads anything of it that is not given, so a command may be run many times in one process, and beside others.
 */
import type { Readable, Writable } from 'node:stream'
import { randomBytes } from 'node:crypto'
import { resolveDataFolder } from '../core/base/data-folder.ts'
import { version } from '../../package.json'
import { AppError } from '../shared/contract/errors.ts'
import { printableLines } from '../shared/text/printable.ts'
import type { CommandContext } from './context.ts'
import { EXIT, exitCodeOf, explain, type ExitCode } from './failure.ts'
import { createOutput } from './output.ts'
import { createProgram, onlyTells } from './program.ts'

/** What a command has around it; of a process, these are its own. */
export interface ProcessContext {
  /** Folder of the build that this command is part of, ending in a slash. */
  readonly build: URL
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable
  /** Called where the command is to go on to its end although nobody may read what it tells any more. */
  goOnUnread?(): void
}

/** A bug may come before the options were read, so the one that matters is looked up by hand. */
function dataOptionOf(words: readonly string[]): string | undefined {
  const index = words.findIndex((word) => word === '--data' || word.startsWith('--data='))
  const word = words[index]
  return word === '--data' ? words[index + 1] : word?.slice('--data='.length)
}

/**
 * Runs the command that the words after `countersign` name, and resolves with its exit code ("Exit codes" in
 * docs/cli.md) when everything it opened is closed. It never rejects: a failure is told on `stderr` in one sentence.
 */
export async function runCommandLine(words: readonly string[], surroundings: ProcessContext): Promise<ExitCode> {
  const { build, env, stdin, stdout, stderr, goOnUnread } = surroundings
  let exitCode: ExitCode = EXIT.done
  const context: CommandContext = {
    version,
    build,
    env,
    stdin,
    output: createOutput({ stdout, stderr, env }),
    now: () => Date.now(),
    exit(code) {
      exitCode = code
    },
  }
  /** Logs a bug in the user's data folder; the sentence on the terminal names only its reference. */
  const reportBug = async (error: unknown) => {
    const { createFileLog } = await import('../core/app/file-log.ts')
    const dataFolder = resolveDataFolder({ option: dataOptionOf(words), env })
    return AppError.internal(createFileLog({ dataFolder, randomBytes }).bug(error, 'command line')).message
  }
  try {
    const say = { writeOut: (text: string) => stdout.write(text), writeErr: (text: string) => stderr.write(printableLines(text)) }
    const program = await createProgram(context, say, words)
    program.hook('preAction', (_program, command) => {
      if (!onlyTells(command.name())) goOnUnread?.()
    })
    await program.parseAsync([...words], { from: 'user' })
    return exitCode
  } catch (error) {
    const sentence = explain(error)
    if (sentence !== null) context.output.note(sentence ?? (await reportBug(error)))
    return exitCodeOf(error)
  }
}
