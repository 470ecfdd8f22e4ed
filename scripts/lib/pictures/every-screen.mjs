/** Takes a picture of every screen in every state, size and theme. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startHandler } from './failing-handler.mjs'
import { fillFiveDays, RECEIVER_PORT, useFiveDays, useLongValues } from './five-days.mjs'
import { contactSheet } from './contact-sheet.mjs'
import { breakAnswers, holdAnswers } from './other-answers.mjs'
import { deliveryScreens, dialogs, emptyScreens, screensOf, unreadScreens } from './screens.mjs'
import { launchBrowser, withApp } from './served-app.mjs'

/** Sizes in CSS pixels. At 200 %, a window of 1440 × 900 has half as many. */
const SIZES = {
  900: { width: 900, height: 900 },
  1440: { width: 1440, height: 900 },
  1920: { width: 1920, height: 1080 },
  200: { width: 720, height: 450 },
}
const THEMES = ['dark', 'light']
const portsWith = (receiverPort) =>
  `--ui-port 0 --sandbox-port 0 --receiver-port ${receiverPort}`.split(' ')
const FREE_PORTS = portsWith(0)
/** Milliseconds for layout after a change of size or theme. */
const SETTLE_MS = 60

/** Takes and names the pictures of one folder. */
class Camera {
  #folder
  #screens
  taken = []
  failed = []

  /** @param screens Names of the screens to take; all if empty. */
  constructor(folder, screens) {
    this.#folder = folder
    this.#screens = screens
    mkdirSync(folder, { recursive: true })
  }

  async #take(page, state, screen) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport)
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.waitForTimeout(SETTLE_MS)
        const name = `${screen}-${state}-${size}-${colorScheme}.png`
        await page.screenshot({ path: join(this.#folder, name), caret: 'hide' })
        this.taken.push({ name, state, screen })
      }
    }
    await page.setViewportSize(SIZES[1440])
  }

  /** Visits the screens one after the other; one that can't be opened is reported. */
  async visit(page, state, screens) {
    page.setDefaultTimeout(10_000)
    for (const [screen, open] of Object.entries(screens)) {
      if (this.#screens.length > 0 && !this.#screens.includes(screen)) continue
      try {
        await open(page)
        await this.#take(page, state, screen)
        await page.keyboard.press('Escape')
      } catch (error) {
        this.failed.push(`${screen}, ${state}: ${String(error.message).split('\n')[0]}`)
      }
    }
  }
}

/** Pictures of an app without data, while it loads, and while each call fails. */
async function visitEmpty(camera, browser) {
  await withApp({ ports: FREE_PORTS }, async (app) => {
    await camera.visit(await app.open(browser), 'empty', emptyScreens)
    await camera.visit(await holdAnswers(app, browser), 'loading', unreadScreens)
    await camera.visit(await breakAnswers(app, browser), 'failing', unreadScreens)
  })
}

async function visitFull(camera, browser, handlerPort) {
  await withApp({ fill: fillFiveDays, ports: portsWith(RECEIVER_PORT) }, async (app) => {
    await useFiveDays(app, handlerPort)
    const screens = { ...(await screensOf(app)), ...dialogs }
    await camera.visit(await app.open(browser), 'full', screens)
  })
}

async function visitLong(camera, browser, handlerPort) {
  await withApp({ ports: FREE_PORTS }, async (app) => {
    await useLongValues(app, handlerPort)
    await camera.visit(await app.open(browser), 'long', await deliveryScreens(app))
  })
}

/**
 * Takes the pictures and writes `index.html`, which shows them all.
 * @param names Names of screens; all if empty.
 */
export async function takeEveryScreen(folder, names) {
  const started = Date.now()
  const camera = new Camera(folder, names)
  const handler = await startHandler(0)
  // With scrollbars, so that the pictures show what can be scrolled.
  const browser = await launchBrowser({ ignoreDefaultArgs: ['--hide-scrollbars'] })
  try {
    await Promise.all([
      visitEmpty(camera, browser).then(() => visitLong(camera, browser, handler.port)),
      visitFull(camera, browser, handler.port),
    ])
  } finally {
    await browser.close()
    handler.stop()
  }
  writeFileSync(join(folder, 'index.html'), contactSheet(camera.taken))
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`${camera.taken.length} pictures in ${folder}, ${seconds} s`)
  for (const problem of camera.failed) console.error(problem)
  process.exitCode = camera.failed.length > 0 ? 1 : 0
}
