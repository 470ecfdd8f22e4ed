/** What every command works with: its surroundings, its options, where to write, and its data folder. */
import type { Readable } from 'node:stream'
import { Command as CommanderCommand } from 'commander'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { resolveDataFolder } from '../core/base/data-folder.ts'
import type { ExitCode } from './failure.ts'
import type { Output } from './output.ts'
import { AppError } from '../shared/contract/errors.ts'

export interface CommandContext {
  readonly version: string
  /** Folder of the build that this command is part of, ending in a slash: the workers of the core lie there. */
  readonly build: URL
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly output: Output
  readonly now: () => number
  /** Ends the command with another code than 0. */
  exit(code: ExitCode): void
}

/** The option that every command has. */
export interface DataOption {
  readonly data?: string
}

/** Where the data folder is, or is to be. Throws `STORE_UNAVAILABLE` where no folder can be there. */
export function dataFolderOf(context: CommandContext, options: DataOption): string {
  const dataFolder = resolveDataFolder({ option: options.data, env: context.env })
  checkDataFolder(dataFolder)
  return dataFolder
}

export class Command extends CommanderCommand {
  override createCommand(name?: string): Command {
    return new Command(name)
  }

  /** `work` gets the words of the command, then its options with those of the whole program; each command declares their types. */
  run(work: (...given: never[]) => Promise<void>): this {
    return this.action((...given: unknown[]) => {
      const command = given.at(-1) as CommanderCommand
      return work(...([...given.slice(0, -2), command.optsWithGlobals()] as never[]))
    })
  }
}

// What a command checks of its data folder before it opens anything.

/**
 * Throws `STORE_UNAVAILABLE` where a file stands in the place of the folder, or of one that it lies in, and what the system says where
 * it cannot be looked into. The folder need not be there yet.
 */
function checkDataFolder(dataFolder: string): void {
  let path = dataFolder
  let found = statSync(path, { throwIfNoEntry: false })
  // The nearest that is there: what has not been made yet would be made in it.
  while (found === undefined && dirname(path) !== path) {
    path = dirname(path)
    found = statSync(path, { throwIfNoEntry: false })
  }
  if (found === undefined || found.isDirectory()) return
  const what =
    path === dataFolder
      ? `${dataFolder} is no folder, but a file`
      : `There is no folder ${dataFolder}: ${path} is no folder, but a file`
  throw new AppError(
    'STORE_UNAVAILABLE',
    `${what}, and so cannot hold what is captured. Name a folder with --data, or with COUNTERSIGN_DATA.`,
  )
}

/** How a folder without a database is: the beginning of what is said of it. */
export function emptinessOf(dataFolder: string): string {
  const isThere = statSync(dataFolder, { throwIfNoEntry: false }) !== undefined
  return isThere ? `${dataFolder} holds no database` : `there is no folder ${dataFolder}`
}
