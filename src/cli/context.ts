/** What every command works with: its surroundings, where to write, and how to reach the core. */
import type { Readable } from 'node:stream'
import { resolveDataFolder } from '../core/base/data-folder.ts'
import { checkDataFolder } from './data-folder.ts'
import type { ExitCode } from './failure.ts'
import type { Output } from './output.ts'

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
