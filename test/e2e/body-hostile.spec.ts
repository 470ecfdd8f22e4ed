/**
 * Promise 4 in the window: strings that run, load or flip something, in every field, every name and
 * every view of a body.
 */
import { brotliCompressSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { naughty } from '../fixtures/payloads/corpus.ts'
import { click, fill, press } from './controls.ts'
import { expect, listOf, openRow, test } from './fixtures.ts'

/** Each body has many strings, so every part of a view shows each of them. */
const PER_BODY = 120

/** Scrolls through the whole detail pane so that every row renders. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const nextFrame = () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    // By then the worker has the text, or there is nothing to show.
    for (let frame = 0; frame < 5; frame++) await nextFrame()
    for (const scroller of document.querySelectorAll<HTMLElement>(
      '[aria-label="Delivery"] :is([role="tree"], [role="group"], .cm-scroller)',
    ))
      for (let top = 0; top < scroller.scrollHeight; top += Math.max(200, scroller.clientHeight)) {
        scroller.scrollTop = top
        await nextFrame()
      }
  })
}

test(`${naughty.length} naughty strings run nothing and load nothing in any view`, async ({
  app,
  page,
}) => {
  const requests: string[] = []
  const dialogs: string[] = []
  const own = new URL(page.url()).host
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    if (host !== own && protocol !== 'data:' && protocol !== 'blob:') requests.push(request.url())
  })
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(globalThis, { violations: seen })
    document.addEventListener('securitypolicyviolation', (event) =>
      seen.push(`${event.violatedDirective} ${event.blockedURI}`),
    )
  })

  const groups = Array.from({ length: Math.ceil(naughty.length / PER_BODY) }, (_, index) =>
    naughty.slice(index * PER_BODY, (index + 1) * PER_BODY),
  )
  for (const [index, strings] of groups.entries()) {
    const json = Buffer.from(
      `{${strings.map((text) => `${JSON.stringify(text)}:[${JSON.stringify(text)}]`).join(',')}}`,
    )
    const headers = strings
      .map((text) => Buffer.from(text).toString('latin1'))
      // Header values can't contain these characters.
      .filter((value) => !/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
      .map((value, number): [string, string] => [`x-naughty-${number}`, value])
    const packed: [string, string][] = index % 2 === 0 ? [] : [['content-encoding', 'br']]
    const path = `/n/${index}?q=${strings.slice(0, 20).map(encodeURI).join('&')}`
    await app.send(path, index % 2 === 0 ? json : brotliCompressSync(json), [
      ['content-type', 'text/html'],
      ...packed,
      ...headers,
    ])
  }
  const form = naughty.map(encodeURIComponent).map((text) => `${text}=${text}`)
  await app.send('/f?x', form.join('&'), [['content-type', 'application/x-www-form-urlencoded']])
  await app.send('/t?x', naughty.join('\n'), [['content-type', 'text/html; charset="<script>"']])
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', String(groups.length + 3))

  for (const path of [...groups.map((_group, index) => `/n/${index}?`), '/f?', '/t?']) {
    const detail = await openRow(page, path)
    const isJson = path.startsWith('/n/')
    await press(page, '3')
    await expect(detail.getByRole('radiogroup', { name: 'Body view' })).toBeVisible()
    for (let view = 0; view < 4; view++) {
      await scrollThrough(page)
      await press(page, 't')
    }
    if (isJson) {
      await click(detail, 'Search body')
      await detail.getByRole('textbox', { name: 'Search', exact: true }).pressSequentially('<')
      await expect(detail.locator('.cm-searchMatch').first()).toBeVisible()
      await press(page, 'Escape')
    }
    for (const tab of isJson ? ['2', '4', '5', '6', '1'] : ['4', '6', '1']) {
      await press(page, tab)
      await scrollThrough(page)
    }
  }

  await fill(page, 'Filter deliveries', naughty.find((text) => text.startsWith('<img')) ?? '')
  await expect(page.getByTestId('count')).toContainText('of')

  const state = await page.evaluate(() => ({
    pwned: 'pwned' in globalThis,
    violations: (globalThis as typeof globalThis & { violations: string[] }).violations,
    polluted: 'polluted' in {},
    /** Elements that only injected markup could have created. */
    foreign: document.querySelectorAll(
      'img, iframe, object, embed, base, body script, form[action], video, math, meta[http-equiv]',
    ).length,
  }))
  expect(state).toEqual({ pwned: false, violations: [], polluted: false, foreign: 0 })
  expect(requests).toEqual([])
  expect(dialogs).toEqual([])
})
