/** Invalid files on the command line. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { prepareCli, type Cli } from './cli-fixture.ts'

let cli: Cli
let dataFolder: string
let folder: string
let file: string

beforeAll(async () => {
  cli = await prepareCli()
  dataFolder = cli.newDataFolder()
  folder = cli.newDataFolder()
  file = join(folder, 'a-file')
  await mkdir(folder)
  await writeFile(file, '{}')
  expect((await cli.run(['settings', '--keep-days', 'off', '--data', dataFolder])).code).toBe(0)
})

const run = (args: readonly string[]) => cli.run([...args, '--data', dataFolder])
const environment = [
  'environments',
  'add',
  'x',
  '--mode',
  'test',
  '--base-url',
  'https://127.0.0.1:1',
  '--key',
  'sk',
]
/** Commands up to the name of the file they read. */
const readers = [
  ['import'],
  ['sign', '--secret', 's', '--url', 'u', '--body'],
  ['sign', '--url', 'u', '--secret-file'],
  ['flow', 'run', '--handler', 'http://127.0.0.1:1', '--secret-file'],
  ['check', 'http://127.0.0.1:1', '--secret', 's', '--target-ca'],
  ['replay', 'latest', '--body-file'],
  [...environment, '--ca'],
]

describe.each(readers.map((args) => [args]))('%j', (args) => {
  test('names a folder or missing file and says what to do', async () => {
    // The flow's name is a separate argument.
    const more = args[0] === 'flow' ? ['purchase-visa'] : []
    const ofFolder = await run([...args, folder, ...more])
    expect(ofFolder).toMatchObject({ code: 3, text: '' })
    expect(ofFolder.stderr).toBe(
      `Expected a file, but this is a folder: ${folder} (EISDIR). Choose a file.\n`,
    )
    const missing = join(folder, 'missing')
    const ofNone = await run([...args, missing, ...more])
    expect(ofNone).toMatchObject({ code: 3, text: '' })
    expect(ofNone.stderr).toBe(`File or folder not found: ${missing} (ENOENT). Check the path.\n`)
  })
})

test("a file argument can't be empty", async () => {
  expect(await run(['import', ''])).toMatchObject({
    code: 3,
    stderr: 'File name is empty. Enter one.\n',
  })
  expect(await run(['compare', '@', '@'])).toMatchObject({
    code: 3,
    stderr: 'File name is empty. Enter one.\n',
  })
})

test.each([
  ...readers.slice(1),
  ['check', 'http://127.0.0.1:1', '--secret', 's', '--junit'],
  ['check', 'http://127.0.0.1:1', '--secret', 's', '--html'],
  ['flow', 'run', 'purchase-visa', '--mermaid'],
  ['shrink', 'latest', '--out'],
  ['export', '--output'],
  ['deliveries', '--view'],
  ['sign', '--secret', 's', '--url', 'u', '--timestamp'],
])("a file or name option can't be empty: %s %s %s", async (...args) => {
  const ran = await run([...args, ''])
  expect(ran).toMatchObject({ code: 2, text: '' })
  expect(ran.stderr).toContain('needs a value.')
})
