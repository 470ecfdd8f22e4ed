/** The built app in a browser, on a temporary data folder, for pictures. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { chromiumArguments, findChromium, findHeadlessShell } from '../chromium.ts'

const cli = new URL('../../../bin/countersign.mjs', import.meta.url).pathname
const start = promisify(execFile)

/** Launches a quiet browser; `options` are of Playwright. */
export const launchBrowser = (options = {}) =>
  chromium.launch({
    ...options,
    executablePath: findHeadlessShell() ?? findChromium() ?? undefined,
    args: chromiumArguments,
    chromiumSandbox: process.getuid?.() !== 0,
  })

/** App that `serve` runs on a data folder in a child process. */
class ServedApp {
  #data

  constructor(data) {
    this.#data = data
  }

  /**
   * Runs a command on the data folder and resolves with its output; rejects unless it exits with
   * one of the codes.
   * @param command Words in an array, or joined by spaces.
   */
  async run(command, codes = [0]) {
    const args = typeof command === 'string' ? command.split(' ') : command
    try {
      return (await start(process.execPath, [cli, ...args, '--data', this.#data])).stdout
    } catch (error) {
      if (codes.includes(error.code)) return error.stdout
      throw new Error(`countersign ${args.join(' ')}: ${error.stderr ?? error}`, { cause: error })
    }
  }

  /** Opens a page that is signed in. */
  async open(browser) {
    const context = await browser.newContext({
      colorScheme: 'dark',
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    await page.goto((await this.run('open --print')).trim())
    await page.getByRole('navigation', { name: 'Navigation' }).waitFor()
    return page
  }
}

/**
 * Serves a new data folder, which is removed at the end.
 * @param ports Options for ports; the documented ones if empty.
 */
export async function withApp({ fill, ports = [] }, visit) {
  const data = mkdtempSync(join(tmpdir(), 'countersign-pictures-'))
  try {
    await fill?.(data)
    const args = [cli, 'serve', '--json', '--no-open', '--data', data, ...ports]
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(server, 'exit')
    try {
      const lines = createInterface({ input: server.stdout })
      const isRunning = await Promise.race([once(lines, 'line'), ended.then(() => false)])
      if (isRunning === false) throw new Error("The app didn't start.")
      await visit(new ServedApp(data))
    } finally {
      server.kill('SIGTERM')
      await ended
    }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}
