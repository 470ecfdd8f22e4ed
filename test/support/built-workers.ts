/**
 * Before the first test of a run, finds Python, and copies the build if it is up to date. Tests of the command line run the copy, and test cores
 * start its threads: a thread from source compiles a hundred files, and a run starts thousands of threads.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isFresh } from '../../scripts/build.mjs'
import { copyBuiltCli, SHARED_BUILD } from './built-cli.ts'

let folder: string | null = null

/** Puts the folder of Python itself on the path: a version manager's stand-in starts twenty processes for each. */
function findPython(): void {
  const { PATH = '' } = process.env
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  })
  const python = dirname(stdout?.trim() ?? '')
  if (python !== '.' && !PATH.split(delimiter).includes(python))
    process.env['PATH'] = python + delimiter + PATH
}

/** Called by vitest. In watch mode sources change later, and threads must use the changed ones. */
export async function setup({
  config,
}: {
  readonly config: { readonly watch: boolean }
}): Promise<void> {
  // Each project of the run uses it.
  if (process.env[SHARED_BUILD] !== undefined) return
  findPython()
  if (config.watch || !(await isFresh('node'))) return
  folder = await mkdtemp(join(tmpdir(), 'countersign-workers-'))
  process.env[SHARED_BUILD] = pathToFileURL(`${await copyBuiltCli(folder)}/`).href
}

/** Called by vitest. */
export async function teardown(): Promise<void> {
  if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
