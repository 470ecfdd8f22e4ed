import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, type Page } from '@playwright/test'
import { runStandin, runToEnd } from '../standin/run.ts'
import { desktopArguments, readInstanceFile } from './hosts/desktop-host.ts'
import { hostName } from './hosts/launch-desktop.ts'
import { buttonIn, click, headingIn } from './controls.ts'

test.skip(hostName !== 'standin', 'about the start of the desktop app, several times in one test')

const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))
const cli = fileURLToPath(new URL('../../out/node/cli.js', import.meta.url))

let dataFolder: string
test.beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'countersign-start-'))
})
test.afterEach(() => {
  rmSync(dataFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

/** Quits where the app couldn't start; resolves with the exit code. */
async function quitFailed(page: Page, child: ChildProcess): Promise<number | null> {
  const ended = once(child, 'exit') as Promise<[number | null]>
  // The page may be gone before the click is reported; only the end of the process counts.
  await click(page, 'Quit').catch((error: Error) => {
    if (!page.isClosed()) throw error
  })
  return (await ended)[0]
}

test('the window opens before the core, says that Countersign starts, and then shows the app', async () => {
  const keyWaits = new URL('../support/delay-vault-key.mjs', import.meta.url).href
  const app = await runStandin(main, desktopArguments(dataFolder), {
    ...process.env,
    COUNTERSIGN_VAULT: 'file',
    NODE_OPTIONS: `--import=${keyWaits}`,
  })
  try {
    await expect(app.page.getByRole('status')).toHaveText('Starting Countersign…')
    await expect(app.page.getByRole('navigation')).toHaveCount(0)
  } finally {
    // Also after a failure, so that the process ends.
    writeFileSync(join(dataFolder, 'vault.key'), randomBytes(32), { mode: 0o600 })
  }
  try {
    await expect(headingIn(app.page, 'Receive your first webhook')).toBeVisible()
  } finally {
    expect(await app.close()).toBe(0)
  }
})

test('a folder in use by `serve` stays with it; the window names the process and offers details, folder and quit', async () => {
  const ports = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']
  const serve = spawn(process.execPath, [cli, 'serve', '--json', '--data', dataFolder, ...ports], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(serve, 'exit')
  try {
    await once(serve.stdout, 'data')
    const { page, process: child, reports } = await runStandin(main, desktopArguments(dataFolder))
    await expect(headingIn(page, "Couldn't start Countersign")).toBeVisible()
    await expect(page.getByRole('alert')).toContainText(`already in use by process ${serve.pid}`)
    await click(page, 'Open data folder')
    await expect
      .poll(() => reports.find(({ kind }) => kind === 'openPath'))
      .toMatchObject({ path: dataFolder })
    await click(page, 'Copy details')
    await expect(buttonIn(page, 'Copied')).toBeVisible()
    expect(await quitFailed(page, child)).toBe(3)
    expect((await readInstanceFile(dataFolder)).pid).toBe(serve.pid)
  } finally {
    serve.kill('SIGTERM')
    await ended
  }
})

test('a start without sandbox shows no captures, only the reason', async () => {
  const { page, process: child } = await runStandin(main, [
    ...desktopArguments(dataFolder),
    '--no-sandbox',
  ])
  await expect(page.getByRole('alert')).toContainText(
    'started with --no-sandbox, which turns off the sandbox',
  )
  await expect(page.getByRole('navigation')).toHaveCount(0)
  expect(existsSync(join(dataFolder, 'countersign.db'))).toBe(false)
  expect(await quitFailed(page, child)).toBe(3)
})

test("the self-test makes every part work, prints one line, and never touches the user's folder", async () => {
  const env = {
    ...process.env,
    XDG_CACHE_HOME: dataFolder,
    COUNTERSIGN_DATA: join(dataFolder, 'mine'),
  }
  const { code, said } = await runToEnd(main, ['--self-test', '--data', join(dataFolder, 'mine')], {
    env,
    mayOpen: true,
  })
  const line = said.split('\n').find((text) => text.startsWith('{"selfTest"')) ?? '{}'
  const { selfTest, checks } = JSON.parse(line) as {
    selfTest?: string
    checks?: readonly { check: string; ok: boolean }[]
  }
  expect({ selfTest, failed: checks?.filter(({ ok }) => !ok) }, said).toEqual({
    selfTest: 'ok',
    failed: [],
  })
  expect(checks).toHaveLength(14)
  expect(code).toBe(0)
  expect(readdirSync(dataFolder)).not.toContain('mine')
  expect(readdirSync(join(dataFolder, 'countersign', 'tmp'))).toEqual([])
})
