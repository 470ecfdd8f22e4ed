/** How the desktop app starts: one instance per data folder, and a clear message if it can't start. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { runStandin, runToEnd } from '../standin/run.ts'
import { desktopArguments, readInstanceFile } from './hosts/desktop-host.ts'
import { hostName } from './hosts/launch-desktop.ts'

test.skip(hostName !== 'standin', 'about the start of the desktop app; the real Electron shows a box that waits for a click')

const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))
const cli = fileURLToPath(new URL('../../out/node/cli.js', import.meta.url))

let dataFolder: string
test.beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'countersign-start-'))
})
test.afterEach(() => {
  rmSync(dataFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

const startToEnd = (argv: readonly string[]) => runToEnd(main, argv)

test('a second start on the same folder exits immediately and leaves the first running', async () => {
  const first = await runStandin(main, desktopArguments(dataFolder))
  try {
    expect((await startToEnd(desktopArguments(dataFolder))).code).toBe(0)
    expect(first.process.exitCode).toBeNull()
    expect((await readInstanceFile(dataFolder)).pid).toBe(first.process.pid)
  } finally {
    expect(await first.close()).toBe(0)
  }
})

test('a folder in use by `serve` stays with it, and the message names the process', async () => {
  const ports = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']
  const serve = spawn(process.execPath, [cli, 'serve', '--json', '--data', dataFolder, ...ports], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(serve, 'exit')
  try {
    await once(serve.stdout, 'data')
    const { code, said } = await startToEnd(desktopArguments(dataFolder))
    expect(code).toBe(3)
    expect(said).toContain(`already in use by process ${serve.pid}`)
    expect((await readInstanceFile(dataFolder)).pid).toBe(serve.pid)
  } finally {
    serve.kill('SIGTERM')
    await ended
  }
})

test('invalid arguments are rejected with a message', async () => {
  const { code, said } = await startToEnd(['--data', dataFolder, '--receiver-port', 'many'])
  expect(code).toBe(2)
  expect(said).toContain('--receiver-port must be a port from 0 (any free port) to 65535')
})

test("a folder that can't be created is reported in one sentence, and not retried forever", async () => {
  test.skip(process.platform !== 'linux', 'needs a file system that takes no folder')
  const { code, said } = await startToEnd(['--data', '/proc/nope/deep'])
  expect(code).toBe(3)
  expect(said).toMatch(/Can.t create the data folder \/proc\/nope\/deep: ENOENT: .*\. Choose a folder with --data/)
})
