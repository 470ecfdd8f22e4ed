/**
 * Neither the app nor the page for a browser without a session causes an error, and these tests
 * would notice one.
 */
import { headingIn } from './controls.ts'
import { expect, test } from './fixtures.ts'
import { hostName } from './hosts/launch-desktop.ts'
import { watchPage } from './page-problems.ts'

test('loading the page causes no problem; an error, an exception, a violation and a failed request are noticed, even from before the watch started', async ({
  app,
  browser,
}) => {
  await app.page.reload()
  await app.page.getByRole('contentinfo').getByText('0 stored deliveries').waitFor()
  // Requested even by browsers that ignore the page's icons.
  expect(await app.page.evaluate(async () => (await fetch('favicon.ico')).status)).toBe(200)
  expect(await (await watchPage(app.page)).read()).toEqual([])
  const provoked = [
    /^console\.error: planted$/,
    /^exception: Error: thrown/,
    /^content policy: script-src/,
    /^security: Executing inline script/,
    /404.*no-such-file/,
  ]
  app.provokes(...provoked)
  await app.page.evaluate(async () => {
    console.error('planted')
    setTimeout(() => {
      throw new Error('thrown')
    })
    const script = document.createElement('script')
    script.textContent = '0'
    document.body.append(script)
    await fetch('no-such-file')
  })
  const problems = await (await watchPage(app.page)).read()
  for (const problem of provoked) expect(problems).toContainEqual(expect.stringMatching(problem))

  // Only the loopback host has sessions. A browser without one requests no icon.
  if (hostName !== 'loopback') return
  const context = await browser.newContext()
  const page = await context.newPage()
  const stranger = await watchPage(page)
  await page.goto(new URL('/', app.page.url()).href)
  await expect(headingIn(page, 'Not signed in')).toBeVisible()
  expect(await stranger.read()).toEqual([expect.stringMatching(/status of 403 .*\/$/)])
  await context.close()
})
