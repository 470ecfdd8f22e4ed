/**
 * Links and files that the system hands to the desktop app, and its window after failures. What
 * each part decides has unit tests beside it in src/main; this shows that the parts are connected.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type Page, test } from '@playwright/test'
import { runStandin, runToEnd, type StandinRun } from '../standin/run.ts'
import { sendDelivery } from '../support/deliver.ts'
import { askCore, desktopArguments, importHook } from './hosts/desktop-host.ts'
import { hostName } from './hosts/launch-desktop.ts'
import { buttonIn, click, deliveryIn, dialogIn, headingIn, regionIn } from './controls.ts'

test.skip(hostName !== 'standin', 'drives the parts that the stand-in records')
test.use({ trace: 'off' })

const main = fileURLToPath(new URL('../../out/main/index.js', import.meta.url))
const cli = fileURLToPath(new URL('../../out/node/cli.js', import.meta.url))

let folder: string
let dataFolder: string
let run: StandinRun

test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-open-'))
  dataFolder = join(folder, 'data')
})
test.afterEach(async () => {
  await run.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

/** Starts the app again on the same folder; the second start hands its arguments to the first. */
async function startAgain(...words: string[]): Promise<void> {
  const { code, said } = await runToEnd(main, [...desktopArguments(dataFolder), ...words])
  expect([code, said]).toEqual([0, ''])
}

async function deliver(page: Page): Promise<string> {
  const hook = await importHook(page, dataFolder, 'open', 'secret-of-links-and-files-0123')
  await sendDelivery(hook.ca, hook)
  const { output } = (await askCore(page, 'deliveries.list', {})) as {
    output: { items: { id: string }[] }
  }
  return output.items[0]?.id ?? ''
}

async function runCli(...words: string[]): Promise<void> {
  const child = spawn(process.execPath, [cli, ...words, '--data', dataFolder], { stdio: 'ignore' })
  expect(await once(child, 'exit')).toEqual([0, null])
}

test('links, exports and flows from arguments and second starts open in the one window', async () => {
  const flow = join(folder, 'coffee.json')
  writeFileSync(flow, '{ "name": "coffee", "title": "A first flow", "steps": [] }')
  run = await runStandin(main, [...desktopArguments(dataFolder), flow])
  const { page } = run
  const notices = regionIn(page, 'Notifications')

  await test.step('a flow given as an argument opens, and reloads after a change', async () => {
    const problems = page.getByRole('alert').filter({ hasText: 'coffee.json' })
    await expect(problems).toBeVisible()
    writeFileSync(flow, '{ broken')
    await expect(problems).toContainText('line 1')
  })

  const id = await deliver(page)

  await test.step('a link shows its delivery, by its whole id and by the short one', async () => {
    for (const name of [id, id.slice(-8)]) {
      await click(page, 'Settings', { exact: true })
      await startAgain(`countersign://delivery/${name}`)
      await expect(deliveryIn(page)).toContainText('transaction.auth')
      await expect(headingIn(page, 'Settings', { level: 1 })).toHaveCount(0)
    }
  })

  await test.step('a link to a delivery of elsewhere says so', async () => {
    await startAgain('countersign://delivery/00000000-0000-7000-8000-000000000000')
    await expect(notices.getByText(`isn't in ${dataFolder}`)).toBeVisible()
  })

  await test.step('an export waits for a confirmation, and is imported from the chosen file', async () => {
    const exported = join(folder, 'day.jsonl')
    await runCli('export', '-o', exported)
    // As from another computer.
    writeFileSync(
      exported,
      readFileSync(exported, 'utf8').replaceAll(id, '01939f5e-7c1a-7b7e-9d0c-6f6f2a9b1c3d'),
    )
    await startAgain(exported)
    const dialog = dialogIn(page, 'Import deliveries')
    await expect(dialog).toContainText('day.jsonl')
    expect(await askCore(page, 'deliveries.list', {})).toMatchObject({
      output: { items: [{ id }] },
    })
    await click(dialog, 'Import', { exact: true })
    await expect(notices.getByText('Imported 1 delivery')).toBeVisible()
  })

  await test.step("the import asks with the system's dialog", async () => {
    await run.ask('shell', { shell: 'click', menu: 'application', id: 'import' })
    const choose = buttonIn(page.getByRole('dialog'), 'Choose a file…')
    await run.ask('chooseFiles', [join(folder, 'data')])
    await choose.click()
    await expect(notices.getByText("Couldn't open data.")).toBeVisible()
    await run.ask('chooseFiles', [join(folder, 'day.jsonl')])
    await choose.click()
    await expect(notices.getByText('Nothing new to import')).toBeVisible()
  })

  await test.step('a command that only a running Countersign can do reaches the app', async () => {
    const count = async () =>
      ((await askCore(page, 'deliveries.list', {})) as { output: { items: unknown[] } }).output
        .items.length
    const before = await count()
    await runCli('trigger', 'transaction.auth')
    await expect.poll(count).toBe(before + 1)
  })
})

test('the window reloads after a crash, and a window that hangs offers to', async () => {
  run = await runStandin(main, desktopArguments(dataFolder))
  await deliver(run.page)
  const log = () => readFileSync(join(dataFolder, 'logs', 'countersign.log'), 'utf8')
  const crash = async (reason: string) => {
    const loaded = run.ask('loaded')
    await run.ask('crash', reason)
    await loaded
    // Playwright gives up a page whose process has died.
    return run.freshPage()
  }
  const rows = (page: Page) =>
    page.getByRole('grid', { name: 'Deliveries, newest first' }).getByRole('row')

  await test.step('the first crash reloads', async () => {
    const page = await crash('oom')
    await expect(rows(page)).toHaveCount(2)
    expect(log()).toContain('"next":"reload"')
  })

  const answer = (button: string) => run.ask('shell', { shell: 'answer', button })
  const boxes = () => run.reports.filter(({ kind }) => kind === 'messageBox')
  await test.step('a window that hangs offers to wait or reload; if it recovers, the question closes', async () => {
    await run.ask('window', 'unresponsive')
    await expect
      .poll(boxes)
      .toMatchObject([{ message: "The window doesn't respond", buttons: ['Wait', 'Reload'] }])
    await run.ask('window', 'responsive')
    await run.ask('window', 'unresponsive')
    await expect.poll(boxes).toHaveLength(2)
    const loaded = run.ask('loaded')
    await answer('Reload')
    await loaded
    await expect(rows(await run.freshPage())).toHaveCount(2)
  })
})
