/**
 * A copy of the built command line with a one-page user interface, shared by the files of a test
 * run.
 */
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from '../../scripts/build.mjs'

const root = join(import.meta.dirname, '../..')

/** Variable with the folder of the test run's copy, as a URL that ends in a slash. */
export const SHARED_BUILD = 'COUNTERSIGN_TEST_BUILD'

/** Resolves with the folder of `cli.js`: in this test run's copy, else in a new copy. */
export async function builtCli(folder: string): Promise<string> {
  const shared = process.env[SHARED_BUILD]
  return shared === undefined ? copyBuiltCli(folder) : fileURLToPath(shared)
}

/** Copies the build, made if it is stale, into a folder; resolves with the folder of `cli.js`. */
export async function copyBuiltCli(folder: string): Promise<string> {
  await buildIfStale({ targets: ['node'] })
  const build = join(folder, 'out', 'node')
  await cp(join(root, 'out', 'node'), build, { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await mkdir(join(folder, 'out', 'renderer'))
  await writeFile(
    join(folder, 'out', 'renderer', 'index.html'),
    '<!doctype html><title>Countersign</title>',
  )
  await writeFile(
    join(folder, 'out', 'renderer', 'manifest.json'),
    '{"files":{"index.html":"text/html; charset=utf-8"}}',
  )
  return build
}
