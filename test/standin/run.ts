/** Runs a main process on the stand-in and connects Playwright to the Chromium behind it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from '@playwright/test'
import { PROFILE_VARIABLE } from './chromium.ts'
import type { WindowState } from './state.ts'

/** Turns of the main process's loop that a window may stay hidden once it could be shown. */
const MOST_HIDDEN_TURNS = 25

const register = fileURLToPath(new URL('./register.ts', import.meta.url))

export interface StandinRun {
  readonly page: Page
  readonly browser: Browser
  readonly process: ChildProcess
  /** Reports of the process so far, including messages that a main process sends itself. */
  readonly reports: { readonly kind: string; readonly [key: string]: unknown }[]
  tell(message: object): void
  /** Asks the stand-in itself (`answerTest`), as the user, the system or a hostile page. */
  ask<T>(what: string, input?: unknown): Promise<T>
  /** Opens the page over a new connection: Playwright can't use it after its process died. */
  freshPage(): Promise<Page>
  output(): string
  /** Asks the app to quit with a signal; kills it after `ms`. Resolves with the exit code. */
  close(ms?: number): Promise<number | null>
}

/**
 * Runs a main process that should exit on its own. It gets SIGTERM if it opens a window without
 * `mayOpen`.
 */
export async function runToEnd(
  main: string,
  argv: readonly string[],
  {
    env = process.env,
    mayOpen = false,
  }: { readonly env?: NodeJS.ProcessEnv; readonly mayOpen?: boolean } = {},
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, ['--no-warnings', '--import', register, main, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      said += text.toString()
      // The menu follows the window.
      if (!mayOpen && said.includes('"kind":"applicationMenu"')) child.kill('SIGTERM')
    })
  // With `close` all output has arrived; with `exit` some may still be pending.
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

/** Resolves with the first page that shows the app, skipping windows that never load one. */
async function firstPage(browser: Browser, child: ChildProcess): Promise<Page> {
  const pages = () => browser.contexts().flatMap((context) => context.pages())
  while (!hasEnded(child)) {
    const page = pages().find((each) => !each.isClosed() && each.url().startsWith('https:'))
    if (page !== undefined) return page
    await delay(20)
  }
  const shown = pages().map((page) => page.url())
  throw new Error(
    `The main process ended, and no window loaded a page of the app: ${shown.join(', ')}.`,
  )
}

/** Removes the profile once Chromium's other processes, which may still write, have exited. */
async function removeProfile(profile: string): Promise<void> {
  await delay(100)
  await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

/** Returns a function that asks the stand-in in the process, as a test (`answerTest`). */
function createAsk(child: ChildProcess): StandinRun['ask'] {
  let lastQuestion = 0
  return <T>(what: string, input?: unknown): Promise<T> => {
    const id = ++lastQuestion
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        child.off('message', hear)
        child.off('exit', onExit)
        settle()
      }
      const hear = (message: { kind: string; id?: number; value?: unknown; error?: string }) => {
        if (message.kind !== 'answer' || message.id !== id) return
        end(() => {
          if (message.error === undefined) resolve(message.value as T)
          else reject(new Error(message.error))
        })
      }
      const onExit = () => {
        end(() => {
          reject(new Error(`The main process ended before it answered "${what}".`))
        })
      }
      child.on('message', hear)
      child.once('exit', onExit)
      child.send({ id, ask: what, input })
    })
  }
}

/** Waits until the app has shown the window: Chromium runs the page of a hidden one too. */
async function waitUntilShown(ask: StandinRun['ask']): Promise<void> {
  for (let turns = 0; turns < MOST_HIDDEN_TURNS;) {
    const windows = await ask<WindowState[]>('windows')
    if (windows.some(({ visible }) => visible)) return
    if (windows.some(({ readyToShow }) => readyToShow)) turns++
    await delay(20)
  }
  throw new Error('No window was shown.')
}

/** Starts `main`; resolves when its window has loaded its page. */
export async function runStandin(
  main: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<StandinRun> {
  const profile = mkdtempSync(join(tmpdir(), 'countersign-standin-'))
  const child = spawn(process.execPath, ['--no-warnings', '--import', register, main, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...env, [PROFILE_VARIABLE]: profile },
  })
  const cleared = once(child, 'exit').then(() => removeProfile(profile))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => (output += text.toString()))
  const reports: StandinRun['reports'] = []
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.on('message', (message: { kind: string; endpoint?: string }) => {
      reports.push(message)
      if (message.kind === 'endpoint' && message.endpoint !== undefined) resolve(message.endpoint)
    })
    // With `close` all output has arrived.
    child.once('close', (code) => {
      reject(new Error(`The main process ended (${code}) before it showed a window:\n${output}`))
    })
  })

  const ask = createAsk(child)
  let browser: Browser | null = null
  const close = async (ms = 60_000) => {
    await browser?.close().catch(() => {})
    if (!hasEnded(child)) child.kill(ms === 0 ? 'SIGKILL' : 'SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), ms)
    await cleared
    clearTimeout(timer)
    return child.exitCode
  }
  const connect = async () => {
    const connected = await chromium.connectOverCDP(endpoint)
    browser = connected
    const page = await firstPage(connected, child)
    await page.waitForLoadState()
    return { connected, page }
  }

  try {
    const { connected, page } = await connect()
    await waitUntilShown(ask)
    return {
      page,
      browser: connected,
      process: child,
      reports,
      tell: (message) => void child.send(message),
      ask,
      async freshPage() {
        await browser?.close()
        return (await connect()).page
      },
      output: () => output,
      close,
    }
  } catch (error) {
    await close(0)
    throw new Error(
      `The stand-in showed no page: ${error instanceof Error ? error.message : String(error)}\n${output}`,
      {
        cause: error,
      },
    )
  }
}
