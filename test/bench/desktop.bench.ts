/**
 * The app as a person starts it, in the browser and on the stand-in for Electron, in turns, with
 * 1,000 stored deliveries: from the start of the process to the window, the first paint and the
 * first rows, and the memory some seconds later. A trend, without bars: Electron itself isn't
 * measured. Also the window that the desktop app shows while its core can't open yet, which has
 * one.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium, expect, type Page } from '@playwright/test'
import { buildIfStale } from '../../scripts/build.mjs'
import { chromiumArguments, findChromium } from '../../scripts/lib/chromium.ts'
import { median, type RunOptions, type Table } from '../../scripts/lib/measurement.ts'
import { copyGeneratedFolder } from '../support/generated-folder.ts'
import { runStandin, type StandinRun } from '../standin/run.ts'
import { residentOf } from './scale/processes.ts'
import { startServe } from './scale/starting.ts'
import { rowsInView } from './scale/window.ts'

export const name = 'desktop'

const ROUNDS = 3
const COUNT = 1_000
/** The app does nothing more by then. */
const REST_MS = 5_000
const WINDOW_BAR_MS = 1_000
const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))
const emptyMain = fileURLToPath(new URL('../standin/small/main.mjs', import.meta.url))

const PORTS = ['--receiver-port', '0', '--sandbox-port', '0']
const argumentsFor = (folder: string) => ['--data', folder, ...PORTS]

/** Milliseconds from the start of the process, and MiB at rest. */
interface Start {
  /** `serve` printed its URL, or the window was shown. */
  readonly open: number
  readonly painted: number
  readonly rows: number
  readonly process: number
}

const now = () => performance.timeOrigin + performance.now()

/**
 * Resolves with the time when the page first showed text or a picture, in milliseconds since the
 * epoch.
 */
async function firstPaint(page: Page): Promise<number> {
  const entries = "performance.getEntriesByName('first-contentful-paint')"
  await expect.poll(() => page.evaluate<number>(`${entries}.length`)).toBe(1)
  return page.evaluate<number>(`performance.timeOrigin + ${entries}[0].startTime`)
}

/**
 * Resolves with the time when the start screen had faded in; it appears late, because most starts
 * are faster.
 */
async function startScreenShown(page: Page): Promise<number> {
  await page.getByText('Starting Countersign…').waitFor()
  return page.evaluate<number>(`(() => {
    const [fading] = document.getAnimations().filter(({ effect }) => effect.target.querySelector('[role=status]') !== null)
    return performance.timeOrigin + fading.startTime + fading.effect.getComputedTiming().endTime
  })()`)
}

async function measure(startedAt: number, open: number, pid: number, page: Page): Promise<Start> {
  await rowsInView(page)
  const rows = now() - startedAt
  const painted = (await firstPaint(page)) - startedAt
  await delay(REST_MS)
  return { open, painted, rows, process: residentOf(pid) }
}

async function startInBrowser(folder: string): Promise<Start> {
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    chromiumSandbox: process.getuid?.() !== 0,
    args: chromiumArguments,
  })
  const page = await browser.newPage({ viewport: { width: 1_200, height: 800 } })
  const startedAt = now()
  const { ui, pid, stop } = await startServe(folder)
  try {
    const open = now() - startedAt
    await page.goto(ui, { waitUntil: 'commit' })
    return await measure(startedAt, open, pid, page)
  } finally {
    await browser.close()
    await stop()
  }
}

const shownAt = ({ reports }: StandinRun) =>
  Number(reports.find(({ kind }) => kind === 'shown')?.['at'])

async function startOnStandin(folder: string): Promise<Start> {
  const startedAt = now()
  const app = await runStandin(main, argumentsFor(folder))
  try {
    return await measure(startedAt, shownAt(app) - startedAt, app.process.pid ?? 0, app.page)
  } finally {
    await app.close()
  }
}

/**
 * Measures the time until the window is shown, and until it says that Countersign starts, while the
 * core waits for its key.
 */
async function startWaiting(): Promise<Pick<Start, 'open' | 'painted'>> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-waiting-'))
  const key = join(folder, 'vault.key')
  execFileSync('mkfifo', ['-m', '600', key])
  const startedAt = now()
  const app = await runStandin(main, argumentsFor(folder), {
    ...process.env,
    COUNTERSIGN_VAULT: 'file',
  })
  try {
    const painted = (await startScreenShown(app.page)) - startedAt
    return { open: shownAt(app) - startedAt, painted }
  } finally {
    await writeFile(key, randomBytes(32))
    await app.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * Measures the time until the page of an empty app has loaded, spent by the stand-in and its
 * Chromium.
 */
async function startEmpty(): Promise<number> {
  const startedAt = now()
  const app = await runStandin(emptyMain, [])
  try {
    return (await app.page.evaluate<number>('performance.timing.loadEventEnd')) - startedAt
  } finally {
    await app.close()
  }
}

export async function run({ progress }: RunOptions): Promise<readonly Table[]> {
  await buildIfStale()
  const browser: Start[] = []
  const standin: Start[] = []
  const waiting: Pick<Start, 'open' | 'painted'>[] = []
  const empty: number[] = []
  const folder = await copyGeneratedFolder({ seed: 1, count: COUNT, progress })
  try {
    // The first start of each compiles, and reads files from the disk, so it isn't counted.
    for (let round = 0; round <= ROUNDS; round++) {
      progress(round === 0 ? 'the first starts' : `round ${round} of ${ROUNDS}`)
      const starts = [
        await startInBrowser(folder),
        await startOnStandin(folder),
        await startWaiting(),
        await startEmpty(),
      ] as const
      if (round === 0) continue
      browser.push(starts[0])
      standin.push(starts[1])
      waiting.push(starts[2])
      empty.push(starts[3])
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const row = (what: string, field: keyof Start) => [
    what,
    browser.map((start) => start[field]),
    standin.map((start) => start[field]),
  ]
  const shown = waiting.map(({ open }) => open)
  const own = shown.map((ms, round) => ms - empty[round]!)
  return [
    {
      title: `Starting the app with ${COUNT.toLocaleString('en')} deliveries, and its memory at rest`,
      columns: ['', 'in the browser', 'on the stand-in'],
      rows: [
        row('URL printed, or window shown (ms)', 'open'),
        row('first paint (ms)', 'painted'),
        row('first rows (ms)', 'rows'),
        row('memory of `serve`, or the main process (MiB)', 'process'),
      ],
      notes: [
        `Medians of ${ROUNDS} rounds in turns. Times are from the start of the process, on the stand-in with that of Chromium. Memory is RSS ${REST_MS / 1_000} s after the first rows.`,
      ],
    },
    {
      title: 'The window of the desktop app while its core waits',
      columns: ['on the stand-in', 'median (ms)', 'bar (ms)'],
      rows: [
        ['window shown', shown, ''],
        ['… longer than an empty app takes', own, WINDOW_BAR_MS],
        ['“Starting Countersign…” readable', waiting.map(({ painted }) => painted), ''],
      ],
      notes: [
        `The bar is ${median(own) <= WINDOW_BAR_MS ? '' : 'not '}met. An empty app measures the stand-in and its Chromium.`,
      ],
    },
  ]
}
