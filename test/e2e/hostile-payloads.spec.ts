/** No payload can run, load anything, or change what is around it: promise 4, in the window. */
import { expect, listOf, openRow, rowsWith, test } from './fixtures.ts'

const naughty = [
  '<script>globalThis.pwned=1</script>',
  '<img src=x onerror="globalThis.pwned=1">',
  '"><svg onload=globalThis.pwned=1>',
  "javascript:globalThis.pwned=1//'",
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '{{constructor.constructor("globalThis.pwned=1")()}}',
  '<link rel=stylesheet href=https://canary.example/x.css>',
  '<style>@import "https://canary.example/y.css";*{display:none}</style>',
  '</textarea><base href=https://canary.example/>',
  '\u202eevil\u202c \u200b\ufeff',
  '__proto__',
]

test('naughty strings in path, headers and body run nothing and load nothing', async ({ app }) => {
  const { page } = app
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
    document.addEventListener('securitypolicyviolation', (event) => seen.push(`${event.violatedDirective} ${event.blockedURI}`))
  })

  for (const [index, text] of naughty.entries()) {
    const header = Buffer.from(text).toString('latin1')
    const json = JSON.stringify({ [text]: text, event: text, list: [text] })
    await app.send(`/h/${encodeURI(text)}?n=${index}`, index % 2 === 0 ? text : json, [
      ['x-naughty', header],
      ['content-type', index % 3 === 0 ? 'text/html' : 'application/json'],
    ])
  }
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', String(naughty.length + 1))
  for (let index = 0; index < naughty.length; index++) {
    const detail = await openRow(page, `?n=${index}`)
    for (const tab of ['Overview', 'Signature', 'Body', 'Headers', 'Attempts', 'Raw'])
      await detail.getByRole('tab', { name: tab }).click()
    await detail.getByRole('tab', { name: 'Body' }).click()
    for (const view of ['As sent', 'Hex', 'Formatted']) await detail.getByText(view, { exact: true }).click()
  }
  await page.getByLabel('Filter deliveries').fill(naughty[1] ?? '')
  await expect(page.getByTestId('count')).toContainText('of')

  const state = await page.evaluate(() => ({
    pwned: 'pwned' in globalThis,
    violations: (globalThis as unknown as { violations: string[] }).violations,
    polluted: 'polluted' in {},
  }))
  expect(state).toEqual({ pwned: false, violations: [], polluted: false })
  expect(requests).toEqual([])
  expect(dialogs).toEqual([])
})

test('characters that cannot be seen are drawn as escapes', async ({ app }) => {
  await app.send('/h/x', '{"name":"safe\u202etxt.exe\u200b"}')
  const detail = await openRow(app.page, '/h/x')
  await detail.getByRole('tab', { name: 'Body' }).click()
  await expect(detail.getByText('\\u{202e}')).toBeVisible()
  await expect(detail.getByTitle('zero-width space')).toHaveText('\\u{200b}')
})

test('numbers, duplicate keys and escapes are shown as sent', async ({ app }) => {
  await app.send('/h/exact', String.raw`{"amount":10.00,"amount":12345678901234567890,"x":1E400,"\u0061":"\/"}`)
  const detail = await openRow(app.page, '/h/exact')
  await detail.getByRole('tab', { name: 'Body' }).click()
  for (const text of ['10.00', '12345678901234567890', '1E400', String.raw`"\u0061"`, String.raw`"\/"`])
    await expect(detail.getByText(text, { exact: true })).toBeVisible()
})

test('a body nested a million deep, and one of ten megabytes on one line, do not hold the window up', async ({ app }) => {
  const { page } = app
  const depth = 500_000
  await app.send('/h/deep', '['.repeat(depth) + ']'.repeat(depth))
  await app.send('/h/long', `{"long":"${'x'.repeat(10_000_000)}","end":1}`)
  await expect(rowsWith(page, '/h/')).toHaveCount(2)
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { tasks })
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({
      type: 'longtask',
    })
  })
  const detail = await openRow(page, '/h/deep')
  await detail.getByRole('tab', { name: 'Body' }).click()
  await expect(detail.getByText('JSON, every token as sent')).toBeVisible()
  await openRow(page, '/h/long')
  await expect(detail.getByText(/Showing the first 1\.0 MB of 10\.0 MB/)).toBeVisible()
  await detail.getByRole('button', { name: 'Load all' }).click()
  await expect(detail.getByText(/Showing the first/)).toBeHidden()
  await expect(detail.getByText('JSON, every token as sent')).toBeVisible()
  const longest = await page.evaluate(() => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks))
  console.log(`longest task while reading and laying out 11 MB of bodies: ${Math.round(longest)} ms`)
  expect(longest).toBeLessThan(1_000)
})
