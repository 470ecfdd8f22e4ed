import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { cliOfFile, FREE_PORTS } from './cli-fixture.ts'

const cli = cliOfFile()

/** Creates a folder that everybody may write to. */
function openFolder(...path: readonly string[]): string {
  const folder = join(...path)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o777)
  return folder
}

/** Files of compiled modules in a folder. */
const cached = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())

test.skipIf(process.platform === 'win32')(
  'the command and its threads take compiled modules from a private folder only',
  async () => {
    const folder = temporaryFolder()
    const [given, known] = [openFolder(folder, 'given'), openFolder(folder, 'node-compile-cache')]
    const env = { TMPDIR: folder, NODE_COMPILE_CACHE: given, XDG_CACHE_HOME: join(folder, 'own') }
    mkdirSync(env.XDG_CACHE_HOME)
    const inFolder = cli.given({ env })
    expect(await inFolder.runProcess`serve --stdio ${FREE_PORTS}`).toMatchObject({ code: 0 })
    const own = join(env.XDG_CACHE_HOME, 'countersign', 'compiled')
    expect(cached(own).length).toBeGreaterThan(1)
    openFolder(own)
    const before = cached(own)
    expect(await inFolder.runProcess`sign --help`).toMatchObject({ code: 0 })
    expect([cached(known), cached(own)]).toEqual([[], before])
    // Node begins with it, for the entry and its few imports, which restart without it.
    expect(cached(given).length).toBeLessThan(before.length / 10)
  },
)
