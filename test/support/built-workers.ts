/**
 * Before the first test of a run: where the build is of the sources as they are, the cores of the tests start their threads of
 * a copy of it. A thread of the sources compiles a hundred files, and a run starts some thousand of them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isFresh } from '../../scripts/build.mjs'
import { copyBuiltCli } from './built-cli.ts'

/** Variable that names the folder of the copy, as a URL that ends in a slash. */
export const BUILT_WORKERS = 'COUNTERSIGN_TEST_WORKERS'

let folder: string | null = null

/** Called by vitest. While it watches, sources change after this: the threads have to be theirs then. */
export async function setup({ config }: { readonly config: { readonly watch: boolean } }): Promise<void> {
  if (config.watch || !(await isFresh('node'))) return
  folder = await mkdtemp(join(tmpdir(), 'countersign-workers-'))
  process.env[BUILT_WORKERS] = pathToFileURL(`${await copyBuiltCli(folder)}/`).href
}

/** Called by vitest. */
export async function teardown(): Promise<void> {
  if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
