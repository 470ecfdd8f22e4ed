/**
 * The window with a million deliveries in Chromium: how long it is blocked while the list scrolls,
 * jumps and receives deliveries, and how soon a click on a row shows the delivery.
 */
import { chromium, type Locator, type Page } from '@playwright/test'
import { chromiumArguments, findChromium } from '../../../scripts/lib/chromium.ts'
import type { Table } from '../../../scripts/lib/measurement.ts'
import { launchHost } from '../../e2e/hosts/loopback.ts'
import { createServer } from '../../e2e/hosts/server.ts'
import { createSeededRandom } from '../../support/seeded-random.ts'
import type { Target } from './acknowledging.ts'
import type { OpenLoopOptions, OpenLoopResult } from './open-loop.ts'
import { FRAME_BAR_MS, whileWatched, type Held } from './frames.ts'
import { COUNT } from './million.ts'
import { runClient } from './processes.ts'

const TASK_BAR_MS = 100
const TAIL_PER_SECOND = 1_000
const TAIL_SECONDS = 8
const JUMPS = 40
const LONGEST_JUMP_MS = 5_000
const LIST = '[role=grid][aria-label="Deliveries, newest first"]'

/** The rows of the list without its header, as an expression run in the page. */
const ROWS = `[...document.querySelectorAll('${LIST} [role=row][aria-rowindex]')].slice(1)`

const rowCountOf = async (page: Page) =>
  Number(await page.locator(LIST).getAttribute('aria-rowcount')) - 1

/**
 * Waits until an expression is true in the page. (Playwright's own way needs `eval`, which the page
 * forbids.)
 */
async function until(page: Page, expression: string): Promise<void> {
  const giveUp = performance.now() + 120_000
  while (!(await page.evaluate<boolean>(expression))) {
    if (performance.now() > giveUp) throw new Error(`It never came to hold: ${expression}`)
    await page.waitForTimeout(10)
  }
}

/**
 * Waits until all visible rows have loaded; returns the positions of the first and the last, from
 * 1.
 */
export async function rowsInView(page: Page): Promise<{ first: number; last: number }> {
  await until(page, `${ROWS}.length > 5 && ${ROWS}.every((row) => row.id !== '')`)
  const places = await page.evaluate<number[]>(
    `${ROWS}.map((row) => Number(row.getAttribute('aria-rowindex')) - 1)`,
  )
  return { first: Math.min(...places), last: Math.max(...places) }
}

/** Waits until the list reports at least this many rows. */
async function hasRows(page: Page, count: number): Promise<void> {
  await until(
    page,
    `Number(document.querySelector('${LIST}')?.getAttribute('aria-rowcount')) > ${count}`,
  )
}

/**
 * Turns the wheel 120 steps over the list, each a real event, sent after the previous one was
 * handled.
 */
async function turnWheel(page: Page, list: Locator): Promise<void> {
  await list.hover()
  for (let step = 0; step < 120; step++) await page.mouse.wheel(0, step % 30 === 29 ? -900 : 320)
}

async function dragBar(list: Locator, share: number): Promise<void> {
  await list.evaluate((grid, part) => {
    const scroller = [...grid.children].find((one) => one.scrollHeight > one.clientHeight + 1)
    if (scroller !== undefined)
      scroller.scrollTop = (scroller.scrollHeight - scroller.clientHeight) * part
  }, share)
}

const CLICKS = 60
const CLICK_BAR_MS = 50

/**
 * Runs in the page: a promise of the milliseconds from the next click to the frame with the clicked
 * delivery's heading and summary, and to the frame in which the Overview has everything.
 */
const CLICKED = `new Promise((done, failed) => {
  const pane = () => document.querySelector('[aria-label="Delivery"]')
  const shownId = () => pane()?.querySelector('h2 > span.data[title]')?.getAttribute('title') ?? ''
  const before = shownId()
  setTimeout(failed, 10_000, new Error('The click showed no other delivery.'))
  const drawn = (then) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => then(performance.now())
    port2.postMessage(null)
  }
  addEventListener('click', ({ timeStamp }) => {
    let painted = null
    const onFrame = () => {
      const isNew = shownId() !== before && pane()?.querySelector('section[aria-label="Summary"]') != null
      if (isNew && painted === null) {
        painted = 0
        drawn((now) => (painted = now - timeStamp))
      }
      if (isNew && pane()?.querySelector('[aria-label="Overview"][aria-busy=true]') == null)
        drawn((now) => done({ painted, complete: now - timeStamp }))
      else requestAnimationFrame(onFrame)
    }
    requestAnimationFrame(onFrame)
  }, { once: true, capture: true })
})`

async function clickRow(page: Page, nth: number): Promise<void> {
  const box = await page.locator(LIST).boundingBox()
  if (box === null) throw new Error('The list is not shown.')
  // Below the header and the day, which covers the first row if the deliveries aren't of today.
  await page.mouse.click(box.x + 60, box.y + 28 * (nth + 2) + 14)
}

/** Clicks visible rows one after another, each once the previous delivery is completely shown. */
async function clickRows(page: Page): Promise<{ painted: number[]; complete: number[] }> {
  const painted: number[] = []
  const complete: number[] = []
  for (let click = 0; click < CLICKS; click++) {
    await page.evaluate(`globalThis.clicked = ${CLICKED}, undefined`)
    await clickRow(page, click % 12)
    const times = await page.evaluate<{ painted: number; complete: number }>('globalThis.clicked')
    painted.push(times.painted)
    complete.push(times.complete)
    await page.waitForTimeout(100)
  }
  return { painted, complete }
}

/** Measures how soon a click on a row shows the delivery beside the list. */
export async function measureDetail(
  folder: string,
  progress: (message: string) => void,
): Promise<Table> {
  return withWindow(folder, async ({ page }) => {
    progress('detail: clicking rows')
    await rowsInView(page)
    await clickRow(page, 12)
    await page.waitForTimeout(1_000)
    const { painted, complete } = await clickRows(page)
    return {
      title: `From a click to the delivery, ${COUNT.toLocaleString('en')} rows`,
      columns: ['what', 'time (ms)', 'bar, median (ms)'],
      rows: [
        ['heading and summary painted', painted, CLICK_BAR_MS],
        ['everything on the Overview painted', complete, ''],
      ],
      notes: [
        `${CLICKS} clicks on visible rows at 1440 × 900, the detail already open, each after the previous was complete.`,
      ],
    }
  })
}

/** Opens the app on a data folder in Chromium, and closes both at the end. */
async function withWindow<Result>(
  folder: string,
  work: (host: Awaited<ReturnType<typeof launchHost>>) => Promise<Result>,
): Promise<Result> {
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath === null ? {} : { executablePath }),
    chromiumSandbox: process.getuid?.() !== 0,
    args: chromiumArguments,
  })
  const server = createServer()
  const host = await launchHost({
    dataFolder: folder,
    browser,
    server,
    context: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  })
  try {
    return await work(host)
  } finally {
    await host.close()
    await server.end()
    await browser.close()
  }
}

const figures = ({ frame, slow, frames, task }: Held) => [frame, `${slow} of ${frames}`, task]

interface Jumps {
  readonly held: Held
  readonly reached: readonly boolean[]
  readonly times: readonly number[]
}

/** Jumps to the end, to the beginning and to random places, each until its rows have loaded. */
async function jumpAround(page: Page, list: Locator): Promise<Jumps> {
  const count = await rowCountOf(page)
  const random = createSeededRandom(5)
  const reached: boolean[] = []
  const times: number[] = []
  const held = await whileWatched(page, async () => {
    for (let jump = 0; jump < JUMPS; jump++) {
      const share = jump === 0 ? 1 : jump === 1 ? 0 : random.integer(0, 10_000) / 10_000
      const from = performance.now()
      const wanted = share * count
      const isReached = ({ first, last }: { first: number; last: number }) =>
        first - 100 <= wanted && wanted <= last + 100 && (share !== 1 || last === count)
      await dragBar(list, share)
      await page.waitForTimeout(60)
      // On a busy computer the window may not have received the scroll event yet.
      let places = await rowsInView(page)
      while (!isReached(places) && performance.now() - from < LONGEST_JUMP_MS)
        places = await rowsInView(page)
      times.push(performance.now() - from)
      reached.push(isReached(places))
    }
  })
  return { held, reached, times }
}

async function scroll(page: Page, list: Locator): Promise<Held> {
  return whileWatched(page, async () => {
    await turnWheel(page, list)
    await rowsInView(page)
  })
}

/** Receives deliveries at a fixed rate until the list shows all of them. */
async function receiveTail(
  host: Awaited<ReturnType<typeof launchHost>>,
  target: Target,
): Promise<{ held: Held; sent: number }> {
  const { page } = host
  const count = await rowCountOf(page)
  let sent = 0
  const held = await whileWatched(page, async () => {
    const options: OpenLoopOptions = {
      ...target,
      port: Number(new URL(host.receiver).port),
      caFile: host.caFile,
      path: new URL(target.url).pathname,
      connections: 64,
      perSecond: TAIL_PER_SECOND,
      seconds: TAIL_SECONDS,
      warmUp: 1,
    }
    sent = (await runClient<OpenLoopResult>('./open-loop.ts', options)).sent
    await hasRows(page, count + sent)
  })
  return { held, sent }
}

const STATISTICS = `document.querySelector('section[aria-label="Statistics"]')`

/**
 * Opens the timeline of all deliveries and the statistics below, and waits until both have counted
 * everything.
 */
async function openStatistics(page: Page): Promise<{ held: Held; took: number }> {
  const from = performance.now()
  const held = await whileWatched(page, async () => {
    const strip = page.getByRole('region', { name: 'Timeline', exact: true })
    await page.getByRole('button', { name: /Time range/ }).click()
    await page.getByRole('menuitem', { name: 'All', exact: true }).click()
    await strip.getByRole('button', { name: 'Statistics' }).click()
    await until(page, `${STATISTICS}?.getAttribute('aria-busy') === 'false'`)
  })
  return { held, took: performance.now() - from }
}

export async function measureWindow(
  folder: string,
  target: Target,
  progress: (message: string) => void,
): Promise<Table> {
  const openedAt = performance.now()
  return withWindow(folder, async (host) => {
    const { page } = host
    progress('window: opening the list')
    await rowsInView(page)
    const firstRows = performance.now() - openedAt
    await hasRows(page, COUNT)
    const allRows = performance.now() - openedAt
    const count = await rowCountOf(page)
    const list = page.locator(LIST)

    progress('window: scrolling')
    const scrolled = await scroll(page, list)
    progress('window: jumping')
    const jumped = await jumpAround(page, list)
    await list.focus()
    const endFrom = performance.now()
    await page.keyboard.press('Home')
    await page.keyboard.press('End')
    await until(
      page,
      `document.querySelector('${LIST} [aria-selected=true]')?.getAttribute('aria-rowindex') === '${count + 1}'`,
    )
    const end = performance.now() - endFrom
    progress('window: live tail')
    await page.keyboard.press('Home')
    await rowsInView(page)
    const tail = await receiveTail(host, target)

    progress('window: counting the statistics of all deliveries')
    const opened = await openStatistics(page)
    progress('window: scrolling, jumping and live tail with statistics')
    const scrolledBelow = await scroll(page, list)
    const jumpedBelow = await jumpAround(page, list)
    await dragBar(list, 0)
    await rowsInView(page)
    const tailBelow = await receiveTail(host, target)

    const reached = [...jumped.reached, ...jumpedBelow.reached]
    return {
      title: `The list at ${count.toLocaleString('en')} rows in Chromium`,
      columns: [
        'what',
        'longest frame (ms)',
        `over ${FRAME_BAR_MS} ms`,
        'longest task (ms)',
        'bar (ms)',
        'took (ms)',
      ],
      rows: [
        ['opened: process started, first rows there', '', '', '', '', firstRows],
        ['opened: every row counted', '', '', '', '', allRows],
        ['scrolled by the wheel, 120 steps', ...figures(scrolled), FRAME_BAR_MS, ''],
        [`jumped by the bar, ${JUMPS} places`, ...figures(jumped.held), FRAME_BAR_MS, jumped.times],
        ['End: the oldest row selected', '', '', '', '', end],
        [
          `live tail, ${TAIL_PER_SECOND}/s for ${TAIL_SECONDS + 1} s`,
          ...figures(tail.held),
          TASK_BAR_MS,
          '',
        ],
        ['statistics of all deliveries counted', ...figures(opened.held), TASK_BAR_MS, opened.took],
        ['… scrolled below them', ...figures(scrolledBelow), FRAME_BAR_MS, ''],
        ['… jumped below them', ...figures(jumpedBelow.held), FRAME_BAR_MS, jumpedBelow.times],
        ['… live tail below them', ...figures(tailBelow.held), TASK_BAR_MS, ''],
      ],
      notes: [
        `${reached.filter(Boolean).length} of ${2 * JUMPS} places reached with all their rows, the first and the last among them; ${tail.sent + tailBelow.sent} deliveries of the live tail shown. The timeline is open from the start, and shows all deliveries once the statistics are open.`,
        'A task below 50 ms is not told by Chromium and stands as 0. A frame is the time from one to the next as the page is told of them, drawn or not.',
      ],
    }
  })
}
