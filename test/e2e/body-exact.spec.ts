/**
 * Promise 3 in the window: the body view shows exactly what arrived, even for bodies that break viewers which re-serialize JSON.
 */
import { visibleText } from '../../src/renderer/ui/visible-text.ts'
import { malformed, oddBytes, wellFormed, type Payload } from '../fixtures/payloads/corpus.ts'
import { drawnRows, strip } from './body-rows.ts'
import { expect, listOf, openRow, test, type App } from './fixtures.ts'

const textOf = ({ bytes }: Payload) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** A body renders within frames: the pauses of the usual poll would take longer than all the reading. */
const intervals = [10]

/** Sends the bodies, then steps through them with the keyboard. */
async function forEach(
  app: App,
  payloads: readonly Payload[],
  view: string,
  look: (payload: Payload) => Promise<void>,
) {
  const { page } = app
  for (const { bytes } of payloads)
    await app.send('/h/exact', bytes, [['content-type', 'application/json']])
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', String(payloads.length + 1))
  const detail = await openRow(page, '/h/exact')
  await detail.getByRole('tab', { name: 'Body' }).click()
  await detail.getByText(view, { exact: true }).click()
  await listOf(page).focus()
  await page.keyboard.press('End')
  for (const payload of payloads) {
    await look(payload)
    await page.keyboard.press('k')
  }
}

test('formatted JSON equals the sent text, except for whitespace', async ({ app }) => {
  await forEach(app, wellFormed, 'Formatted', async (payload) => {
    const sent = strip(visibleText(strip(textOf(payload))))
    await expect
      .poll(async () => strip((await drawnRows(app.page)).join('\n')), {
        message: payload.name,
        intervals,
      })
      .toBe(sent)
  })
})

test('invalid JSON is shown as sent, with the position of the error', async ({ app }) => {
  await forEach(app, malformed, 'Tree', async (payload) => {
    const lines = textOf(payload).split('\n').map(visibleText)
    await expect
      .poll(() => drawnRows(app.page), { message: payload.name, intervals })
      .toEqual(lines)
    await expect(app.page.getByText('Not JSON, shown as sent', { exact: true })).toBeVisible()
  })
})

test("bytes that aren't text are marked one by one, or shown as hex", async ({ app }) => {
  const { page } = app
  for (const [index, { bytes }] of oddBytes.entries()) await app.send(`/odd/${index}`, bytes)
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', String(oddBytes.length + 1))
  const shown = async (name: string) => {
    const detail = await openRow(page, `/odd/${oddBytes.findIndex((one) => one.name === name)}`)
    await detail.getByRole('tab', { name: 'Body' }).click()
    return detail
  }
  const latin = await shown('latin-1')
  await expect(latin.getByText("1 byte isn't UTF-8", { exact: false })).toContainText(
    'First at byte 13',
  )
  await expect(latin.getByTitle('invalid UTF-8 byte')).toHaveText(String.raw`\xe9`)
  await expect((await shown('overlong')).getByTitle('invalid UTF-8 byte')).toHaveText(
    [0xc0, 0xaf, 0xe0, 0x80, 0xaf].map((byte) => `\\x${byte.toString(16)}`),
  )
  await expect((await shown('surrogates in UTF-8')).getByTitle('invalid UTF-8 byte')).toHaveCount(6)
  await app.send('/json', '{"n":1}')
  const json = await openRow(page, '/json', 'Body')
  await expect(json.getByText('JSON, every token as sent')).toBeVisible()
  const binary = await shown('every byte')
  await expect(binary.getByText('Binary body, shown as hex.', { exact: false })).toBeVisible()
  await expect(binary.getByText('JSON, every token as sent')).toBeHidden()
  await expect(
    (await shown('UTF-16')).getByText('Read as utf-16le, from the byte order mark.', {
      exact: false,
    }),
  ).toBeVisible()
  const marked = await shown('byte order mark')
  await expect(
    marked.getByText('starts with a byte order mark (EF BB BF)', { exact: false }),
  ).toBeVisible()
  await marked.getByText('Formatted', { exact: true }).click()
  await expect(marked.getByTitle('byte order mark')).toBeVisible()
})
