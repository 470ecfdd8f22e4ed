/** What every command uses: its context, its base class and its data folder. */
import type { Readable } from 'node:stream'
import { Command as CommanderCommand, type ErrorOptions } from 'commander'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { resolveDataFolder } from '../core/base/data-folder.ts'
import type { ExitCode } from './failure.ts'
import type { Output } from './output.ts'
import { AppError } from '../shared/contract/errors.ts'
import { usageSentence } from './usage-sentence.ts'

export interface CommandContext {
  readonly version: string
  /** Folder of this build, ending in a slash; it contains the core's workers. */
  readonly build: URL
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly output: Output
  readonly now: () => number
  /** Sets the exit code. */
  exit(code: ExitCode): void
}

/** The options of every command, and of every command that prints data. */
export interface DataOption {
  readonly data?: string
  readonly json?: true
}

/** The data folder, which may not exist yet. Throws `STORE_UNAVAILABLE` if it can't be a folder. */
export function dataFolderOf(context: CommandContext, options: DataOption): string {
  const dataFolder = resolveDataFolder({ option: options.data, env: context.env })
  checkDataFolder(dataFolder)
  return dataFolder
}

/** A command line that help and the CLI reference show. */
export interface Example {
  readonly does: string
  /** The words after `countersign`, as typed in a shell. */
  readonly line: string
  readonly exits: ExitCode
  /** Why no test runs it; its options are checked anyway. */
  readonly notRun: string | null
}

type ExampleOptions = Partial<Pick<Example, 'exits'> & { readonly notRun: string }>

function exampleLines({ does, line }: Example): string {
  return `  # ${does}\n  countersign ${line}`
}

/** A commander command that also holds what help and the CLI reference say about it: examples, exit codes, whether it needs a running Countersign. */
export class Command extends CommanderCommand {
  readonly examples: Example[] = []
  readonly exitCodes: { readonly code: ExitCode; readonly when: string }[] = []
  needsRunning = false

  constructor(name?: string) {
    super(name)
    this.addHelpText('after', () => this.#exampleHelp())
  }

  override createCommand(name?: string): Command {
    return new Command(name)
  }

  /** The words that call this command, such as `countersign hooks list`. */
  #fullName(): string {
    const names = [this.name()]
    for (let above = this.parent; above !== null; above = above.parent) names.unshift(above.name())
    return names.join(' ')
  }

  override error(message: string, options?: ErrorOptions): never {
    return super.error(usageSentence(message, this.#fullName()), options)
  }

  /** Adds an example; `does` begins with a verb. */
  example(does: string, line: string, { exits = 0, notRun }: ExampleOptions = {}): this {
    this.examples.push({ does, line, exits, notRun: notRun ?? null })
    return this
  }

  /** `when` completes "Exits with 1 if …". */
  exitsWith(code: ExitCode, when: string): this {
    this.exitCodes.push({ code, when })
    return this
  }

  /** Adds the option to print JSON, as one object or one object per line. */
  printsJson(lines?: 'lines'): this {
    return this.option('--json', lines === undefined ? 'print a JSON object' : 'print JSON Lines')
  }

  /** Marks a command that exits with 3 unless Countersign runs on the data folder. */
  requiresRunning(): this {
    this.needsRunning = true
    return this
  }

  /** The description with what the command needs and how it exits. */
  helpText(): string {
    const codes = this.exitCodes.map(({ code, when }) => `with ${code} if ${when}`)
    return [
      this.description(),
      ...(this.needsRunning ? ['Needs Countersign running.'] : []),
      ...(codes.length === 0 ? [] : [`Exits ${codes.join(', and ')}.`]),
    ].join(' ')
  }

  /** A group of commands shows the first example of each. */
  #exampleHelp(): string {
    const own = this.examples
    const shown =
      own.length > 0
        ? own
        : this.commands.flatMap((command) => (command as Command).examples.slice(0, 1))
    return shown.length === 0
      ? ''
      : `\nExamples:\n${shown.slice(0, 4).map(exampleLines).join('\n\n')}`
  }

  /** `work` gets the command's arguments, then its options together with the program's; each command declares their types. */
  run(work: (...given: never[]) => Promise<void>): this {
    return this.action((...given: unknown[]) => {
      const command = given.at(-1) as CommanderCommand
      return work(...([...given.slice(0, -2), command.optsWithGlobals()] as never[]))
    })
  }
}

// Checks the data folder before anything is opened.

/**
 * Throws `STORE_UNAVAILABLE` if a file is in the place of the folder or one of its parents, and the system's error if it can't be
 * read. The folder may not exist yet.
 */
function checkDataFolder(dataFolder: string): void {
  let path = dataFolder
  let found = statSync(path, { throwIfNoEntry: false })
  // The nearest existing parent: missing folders would be created in it.
  while (found === undefined && dirname(path) !== path) {
    path = dirname(path)
    found = statSync(path, { throwIfNoEntry: false })
  }
  if (found === undefined || found.isDirectory()) return
  const what =
    path === dataFolder
      ? `${dataFolder} is a file, not a folder`
      : `Couldn't use ${dataFolder}: ${path} is a file, not a folder`
  throw new AppError(
    'STORE_UNAVAILABLE',
    `${what}. Choose another data folder with --data or COUNTERSIGN_DATA.`,
  )
}

/** Says why there is no database: the middle of a sentence. */
export function emptinessOf(dataFolder: string): string {
  const isThere = statSync(dataFolder, { throwIfNoEntry: false }) !== undefined
  return isThere ? `${dataFolder} has no database` : `${dataFolder} does not exist`
}
