/**
 * Before the first test of a run: if the build is up to date, one copy of it is made. The tests of the command line run it, and the
 * cores of the tests start its threads: a thread of the sources compiles a hundred files, and a run starts some thousand of them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isFresh } from '../../scripts/build.mjs'
import { copyBuiltCli, SHARED_BUILD } from './built-cli.ts'

let folder: string | null = null

/** Called by vitest. While it watches, sources change after this: the threads have to be theirs then. */
export async function setup({ config }: { readonly config: { readonly watch: boolean } }): Promise<void> {
  // Each project of the run asks for it.
  if (process.env[SHARED_BUILD] !== undefined) return
  if (config.watch || !(await isFresh('node'))) return
  folder = await mkdtemp(join(tmpdir(), 'countersign-workers-'))
  process.env[SHARED_BUILD] = pathToFileURL(`${await copyBuiltCli(folder)}/`).href
}

/** Called by vitest. */
export async function teardown(): Promise<void> {
  if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
