import { readFile } from 'node:fs/promises'
import type { Download } from '@playwright/test'
import { signedHeaders } from '../support/deliver.ts'
import {
  buttonIn,
  dialogIn,
  regionIn,
  click,
  fill,
  chooseInList,
  press,
  searchCommands,
  write,
} from './controls.ts'
import { expect, listOf, rowsWith, test } from './fixtures.ts'
import { ownId } from '../support/id-of-name.ts'

const textOf = async (download: Download) => readFile(await download.path(), 'utf8')

test('matching and selected deliveries are exported, with and without secrets', async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'exported')
  for (const amount of [1, 2, 3]) await app.deliver(hook, `{"amount":${amount}}`)
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(3)
  const dialog = dialogIn(page, 'Export deliveries')
  const exported = async (count: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      // The notice is shown for a few seconds only, so it is checked first.
      expect(page.getByText(`Exported ${count}`)).toBeVisible(),
      click(dialog, 'Export', { exact: true }),
    ])
    await expect(dialog).toBeHidden()
    return { name: download.suggestedFilename(), text: await textOf(download) }
  }

  await chooseInList(page, 'Export all deliveries…')
  await expect(dialog.getByText('3 deliveries, oldest first')).toBeVisible()
  const all = await exported('3 deliveries')
  expect(all.name).toBe('deliveries.jsonl')
  expect(all.text.trimEnd().split('\n')).toHaveLength(3)

  await fill(page, 'Filter deliveries', 'amount:>1')
  await expect(page.getByTestId('count')).toHaveText('2 of 3')
  await chooseInList(page, 'Export matching deliveries…')
  await expect(dialog.getByText('2 deliveries, oldest first, matching amount:>1')).toBeVisible()
  await dialog.getByRole('radiogroup', { name: 'Format' }).getByText('cURL').click()
  await dialog.getByLabel('Include secrets').check()
  await expect(dialog.getByText('Anyone with this file can sign as the service')).toBeVisible()
  const script = await exported('2 deliveries')
  expect(script.name).toBe('deliveries.sh')
  expect(script.text).toContain(hook.secret)

  await listOf(page).focus()
  await press(page, 'j', 'ControlOrMeta+k')
  await fill(page, 'Search commands', 'Export selected')
  await expect(page.getByRole('option')).toHaveCount(1)
  await press(page, 'Enter')
  await expect(dialog.getByText('The selected delivery')).toBeVisible()
  await dialog.getByRole('radiogroup', { name: 'Format' }).getByText('HAR').click()
  const archive = await exported('1 delivery')
  expect((JSON.parse(archive.text) as { log: { entries: unknown[] } }).log.entries).toHaveLength(1)
})

test('an export is imported, selected or dropped; known deliveries stay, and unreadable lines are reported; a copied request is verified, and kept as reported', async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'moved')
  for (const amount of [1, 2]) await app.deliver(hook, `{"amount":${amount}}`)
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(2)
  // As if from another computer: the same deliveries under other IDs, of the day before.
  const yesterday = new Date(Date.now() - 86_400_000)
  const lines = (await app.command('export'))
    .trimEnd()
    .replaceAll(/"id":"([^"]+)/g, (_, id: string) => `"id":"${ownId(id)}`)
    .replaceAll(/"receivedAt":"[^T]+/g, `"receivedAt":"${yesterday.toISOString().slice(0, 10)}`)
    .split('\n')

  await chooseInList(page, 'Import deliveries…')
  const dialog = dialogIn(page, 'Import deliveries')
  const choose = (name: string, text: string) =>
    dialog
      .getByLabel('Export file')
      .setInputFiles({ name, mimeType: 'application/jsonl', buffer: Buffer.from(text) })
  await choose('broken.jsonl', `${lines[0] ?? ''}\nnot a delivery\n`)
  await expect(dialog.getByText("The line isn't JSON.")).toBeVisible()
  await expect(dialog.getByText('1 imported · 0 already here · 1 rejected')).toBeVisible()
  await choose('archive.har', '{"log":{"version":"1.2","entries":[]}}')
  await expect(dialog.getByText('The HAR file has no requests')).toBeVisible()
  await buttonIn(dialog, 'Close').last().click()

  const fileToDrop = (name: string, content: string) =>
    page.evaluateHandle(
      (file) => {
        const data = new DataTransfer()
        data.items.add(new File([file.content], file.name))
        return data
      },
      { name, content },
    )
  const list = regionIn(page, 'List')

  // A flow opens, although its screen isn't shown.
  const flow = '{ "name": "coffee", "title": "A coffee", "steps": [] }'
  await list.dispatchEvent('drop', { dataTransfer: await fileToDrop('coffee.json', flow) })
  await expect(
    page.getByRole('alert').filter({ hasText: "coffee.json isn't a valid flow." }),
  ).toBeVisible()
  await click(page, 'Deliveries', { exact: true })

  const dropped = await fileToDrop('moved.jsonl', lines.join('\n'))
  await list.dispatchEvent('dragover', { dataTransfer: dropped })
  await expect(
    page.getByText('Drop an export (.jsonl) to import it, or a flow (.json) to open it'),
  ).toBeVisible()
  await list.dispatchEvent('drop', { dataTransfer: dropped })
  // It stays while the pointer is on it.
  await page.getByText('Imported 1 delivery').hover()
  await expect(page.getByText('1 delivery in the file was already here.')).toBeVisible()
  // In its place, below its day, and so is the one imported before.
  const names = { weekday: 'long', day: 'numeric' } as const
  await expect(list.locator('[role=rowgroup] > * > * > *')).toHaveText([
    /^Valid\d\d:/,
    /^Valid\d\d:/,
    new RegExp(`^${yesterday.toLocaleDateString('en-GB', names)}`),
    /^Valid/,
    /^Valid/,
  ])
  await click(page, 'Show imported deliveries')
  await expect(page.getByTestId('count')).toHaveText('2 of 4')

  const body = '{"amount":7}'
  const request = [
    'POST / HTTP/1.1',
    ...signedHeaders(hook.secret, body, hook.url).map((one) => one.join(': ')),
  ]
  await searchCommands(page, 'Verify a request')
  await press(page, 'Enter')
  const copied = dialogIn(page, 'Verify a request')
  const verify = async (pasted: string) => {
    await write(copied.getByLabel('Request', { exact: true }), pasted)
    await click(copied, 'Verify', { exact: true })
  }
  await verify('Hello')
  await expect(copied.getByText('No request found.')).toBeVisible()
  await verify([...request, '', body].join('\n'))
  const result = regionIn(copied, 'Result')
  await expect(result.getByText('Valid', { exact: true })).toBeVisible()
  await expect(result.getByText('Age unknown')).toBeVisible()
  await click(copied, 'Keep as reported')
  await expect(page.getByText('Valid: reported, not received')).toBeVisible()
  await expect(page.getByRole('group', { name: 'Signature' })).toBeVisible()
})
