/**
 * Finds Python and copies the build before the first test: a thread from source would compile a
 * hundred files.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isFresh } from '../../scripts/build.mjs'
import { copyBuiltCli, SHARED_BUILD } from './built-cli.ts'

let folder: string | null = null

/** Puts Python itself on the path: a version manager's stand-in starts twenty processes. */
function findPython(): void {
  const { PATH = '' } = process.env
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  })
  const python = dirname(stdout?.trim() ?? '')
  if (python !== '.' && !PATH.split(delimiter).includes(python))
    process.env['PATH'] = python + delimiter + PATH
}

/** Copies the build, except in watch mode, where threads must use changed sources. */
export async function setup({
  config,
}: {
  readonly config: { readonly watch: boolean }
}): Promise<void> {
  if (process.env[SHARED_BUILD] !== undefined) return
  findPython()
  if (config.watch || !(await isFresh('node'))) return
  folder = await mkdtemp(join(tmpdir(), 'countersign-workers-'))
  process.env[SHARED_BUILD] = pathToFileURL(`${await copyBuiltCli(folder)}/`).href
}

export async function teardown(): Promise<void> {
  if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
