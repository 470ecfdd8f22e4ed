/**
 * The desktop app around its window: menus, tray, notifications, closing, zoom and sleep, as the
 * stand-in records them. What each part decides has unit tests beside it in src/main; this shows
 * that the parts are connected.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { runStandin, runToEnd, type StandinRun } from '../standin/run.ts'
import type { WindowState } from '../standin/state.ts'
import type { ShellReport, ShellRequest, ShownItem } from '../standin/shell-parts.ts'
import { sendDelivery } from '../support/deliver.ts'
import { askCore, desktopArguments, importHook } from './hosts/desktop-host.ts'
import { hostName } from './hosts/launch-desktop.ts'
import { click, deliveryIn, dialogIn, headingIn, press, regionIn } from './controls.ts'

test.skip(
  hostName !== 'standin',
  'drives the parts that the stand-in records; the real ones are drawn by the system',
)
test.use({ trace: 'off' })

const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))
const SECRET = 'secret-of-the-shell-0123456789'

let folder: string
let run: StandinRun
let exitCode: number | null | undefined

/**
 * Starts the app on a desktop that shows tray icons: on Linux it asks the session bus through
 * `gdbus`.
 */
async function start(): Promise<void> {
  exitCode = undefined
  folder = mkdtempSync(join(tmpdir(), 'countersign-shell-'))
  const tool = join(folder, 'gdbus')
  writeFileSync(tool, `#!/bin/sh\necho '(true,)'\n`)
  chmodSync(tool, 0o755)
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` }
  run = await runStandin(main, desktopArguments(join(folder, 'data')), env)
  run.process.once('exit', (code) => (exitCode = code))
  await run.page
    .getByRole('contentinfo')
    .getByText(/deliver(y|ies)$/)
    .waitFor()
  // Built once, at the start.
  await expect.poll(() => reports('applicationMenu')).toHaveLength(1)
}
test.afterEach(async () => {
  await run.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

const ask = (request: ShellRequest) => run.ask('shell', request)
const closeWindow = () => run.ask('window', 'close')
const window = async () => (await run.ask<WindowState[]>('windows'))[0]
function reports<K extends ShellReport['kind']>(kind: K) {
  return (run.reports as readonly { readonly kind: string }[]).filter(
    (report): report is Extract<ShellReport, { kind: K }> => report.kind === kind,
  )
}
const lastItems = (kind: 'trayMenu') =>
  reports(kind)
    .at(-1)
    ?.items.map(({ label, role }) => label ?? role ?? '—') ?? []
const labelsOf = (items: readonly ShownItem[]): string[] =>
  items.flatMap(({ label, role, submenu }) => [label ?? role ?? '', ...labelsOf(submenu ?? [])])

test('menus, tray, notifications, zoom, closing and sleep are connected to the app', async () => {
  await start()
  const { page } = run
  const dataFolder = join(folder, 'data')
  const hook = await importHook(page, dataFolder, 'shell', SECRET)
  const deliver = (secret: string) => sendDelivery(hook.ca, { ...hook, secret })

  await test.step('the entries of the application menu reach the page', async () => {
    const [menu] = reports('applicationMenu')
    expect(labelsOf(menu?.items ?? [])).toEqual(
      expect.arrayContaining([
        'Settings…',
        'Import…',
        'Export…',
        'Documentation',
        'About Countersign',
      ]),
    )
    await ask({ shell: 'click', menu: 'application', id: 'settings' })
    await headingIn(page, 'Settings', { level: 1 }).waitFor()
    await ask({ shell: 'click', menu: 'application', id: 'import' })
    await dialogIn(page, 'Import deliveries').waitFor()
    await press(page, 'Escape')
    await ask({ shell: 'click', menu: 'application', id: 'about' })
    await expect.poll(() => reports('about')).toHaveLength(1)
  })

  await test.step('diagnostics are saved as a file, without the secret', async () => {
    const download = page.waitForEvent('download')
    await ask({ shell: 'click', menu: 'application', id: 'diagnostics' })
    const file = await download
    expect(file.suggestedFilename()).toMatch(/^countersign-diagnostics-.*\.json$/)
    const text = readFileSync(await file.path(), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ host: 'electron', stored: { hooks: 1 } })
    expect(text).not.toContain(SECRET)
  })

  await test.step('notifications are switched on in Settings', async () => {
    const settings = regionIn(page, 'All settings')
    await click(page.getByRole('navigation', { name: 'Settings sections' }), 'Desktop')
    const box = settings.getByRole('checkbox', { name: 'Notify: Invalid signature' })
    await box.click()
    await expect(box).toBeChecked()
    await expect
      .poll(async () => (await askCore(page, 'settings.get', {}))?.output)
      .toMatchObject({ desktop: { notifyInvalid: true, notifyHandler: false } })
  })

  await test.step('zoom is kept with the place of the window', async () => {
    await ask({ shell: 'click', menu: 'application', id: 'zoomIn' })
    await expect.poll(() => reports('zoom').at(-1)?.factor).toBe(1.1)
    await expect(() => {
      const saved = JSON.parse(
        readFileSync(join(dataFolder, 'desktop', 'window.json'), 'utf8'),
      ) as object
      expect(saved).toMatchObject({ zoom: 1.1, fullScreen: false })
    }).toPass()
  })

  await test.step('the tray shows the last delivery, and pauses and resumes capture', async () => {
    expect(await deliver(SECRET)).toBe(200)
    await expect
      .poll(() => lastItems('trayMenu')[1])
      .toMatch(/^Last: transaction\.auth, valid, \d\d:\d\d$/)
    await ask({ shell: 'click', menu: 'tray', id: 'pause' })
    await expect.poll(() => lastItems('trayMenu')[0]).toBe('Paused: deliveries get a 503')
    expect(await deliver(SECRET)).toBe(503)
    await ask({ shell: 'click', menu: 'tray', id: 'resume' })
    await expect.poll(() => lastItems('trayMenu')[0]).toMatch(/^Receiving on 127\.0\.0\.1:\d+$/)
    expect(reports('tray').at(-1)?.tooltip).toMatch(/^Countersign\nReceiving/)
  })

  await test.step('closing the window asks once, and capture continues without it', async () => {
    await closeWindow()
    await expect.poll(() => reports('messageBox')).toHaveLength(1)
    expect(reports('messageBox')[0]).toMatchObject({
      buttons: ['Keep capturing', 'Quit', 'Cancel'],
    })
    await ask({ shell: 'answer', button: 'Keep capturing' })
    await expect.poll(window).toMatchObject({ visible: false })
    expect(await deliver('wrong-secret-of-the-shell')).toBe(200)
  })

  await test.step('the app shows an invalid signature, and a click opens the delivery', async () => {
    await expect.poll(() => reports('notification')).toHaveLength(1)
    await ask({ shell: 'clickNotification', title: 'Invalid signature' })
    await expect.poll(window).toMatchObject({ visible: true, focused: true })
    await expect(deliveryIn(page)).toContainText('Invalid')
  })

  await test.step('the window closes without a question now, and the tray or a second start opens it', async () => {
    const opening = [
      () => ask({ shell: 'clickTray' }),
      () => runToEnd(main, desktopArguments(dataFolder)),
    ]
    for (const open of opening) {
      await closeWindow()
      await expect.poll(window).toMatchObject({ visible: false })
      await open()
      await expect.poll(window).toMatchObject({ visible: true, focused: true })
    }
    expect(reports('messageBox')).toHaveLength(1)
  })

  await test.step('errors that nobody catches end in the log, and in a notice or a question', async () => {
    const log = () => readFileSync(join(dataFolder, 'logs', 'countersign.log'), 'utf8')
    await run.ask('fail', { message: 'a rejected promise', asynchronously: true })
    const notice = regionIn(page, 'Notifications').getByText('Something went wrong')
    await expect(notice).toBeVisible()
    await run.ask('fail', { message: 'an exception', asynchronously: false })
    await expect.poll(() => reports('messageBox')).toHaveLength(2)
    expect(reports('messageBox')[1]).toMatchObject({
      message: 'Something went wrong in Countersign',
      buttons: ['Keep running', 'Quit'],
    })
    await ask({ shell: 'answer', button: 'Keep running' })
    for (const words of [
      'unhandledRejection',
      'a rejected promise',
      'uncaughtException',
      'an exception',
    ])
      expect(log()).toContain(words)
  })

  await test.step('after a sleep of the computer, deliveries are received', async () => {
    await ask({ shell: 'power', event: 'resume' })
    expect(await deliver(SECRET)).toBe(200)
  })

  await ask({ shell: 'click', menu: 'tray', id: 'quit' })
  await expect.poll(() => exitCode).toBe(0)
})
