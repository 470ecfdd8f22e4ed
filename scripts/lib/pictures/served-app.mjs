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

export const launchBrowser = () =>
  chromium.launch({
    executablePath: findHeadlessShell() ?? findChromium() ?? undefined,
    args: chromiumArguments,
    chromiumSandbox: process.getuid?.() !== 0,
  })

/** Serves a data folder in a child process. */
export class ServedApp {
  #server
  #data

  constructor(server, data) {
    this.#server = server
    this.#data = data
  }

  /**
   * Runs a command on the data folder and resolves with its output; rejects unless it exits with
   * one of the codes.
   */
  async run(args, { codes = [0] } = {}) {
    try {
      return (await start(process.execPath, [cli, ...args, '--data', this.#data])).stdout
    } catch (error) {
      if (codes.includes(error.code)) return error.stdout
      throw new Error(`countersign ${args.join(' ')}: ${error.stderr ?? error}`, { cause: error })
    }
  }

  /** Opens a page that is signed in. */
  async open(browser, options) {
    const context = await browser.newContext({
      colorScheme: 'dark',
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    await page.goto((await this.run(['open', '--print'])).trim())
    await page.getByRole('navigation', { name: 'Navigation' }).waitFor()
    return page
  }

  async stop() {
    const ended = once(this.#server, 'exit')
    this.#server.kill('SIGTERM')
    await ended
  }
}

/**
 * Starts `serve` on a data folder.
 * @param ports Options for ports; the documented ones if empty.
 */
export async function serveApp(data, ports = []) {
  const args = [cli, 'serve', '--json', '--no-open', '--data', data, ...ports]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    once(server, 'exit').then(() => [null]),
  ])
  if (line === null) throw new Error("The app didn't start.")
  return new ServedApp(server, data)
}

/** Visits the app on a new data folder, which is removed at the end. */
export async function withApp({ fill, ports }, visit) {
  const data = mkdtempSync(join(tmpdir(), 'countersign-pictures-'))
  try {
    await fill?.(data)
    const app = await serveApp(data, ports)
    try {
      await visit(app)
    } finally {
      await app.stop()
    }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}
