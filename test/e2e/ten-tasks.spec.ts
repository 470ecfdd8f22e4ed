import type { Locator } from '@playwright/test'
import { buttonIn, dialogIn, menuItemIn, regionIn, tabIn, deliveryIn, press } from './controls.ts'
import { expect, rowsWith, test } from './fixtures.ts'

const body = (amount: number) => `{"amount":${amount}.50,"note":"copy me"}`

test('each of the ten tasks takes at most two keys or clicks, registering a hook three, a replay with a change four', async ({
  app,
  endpoint,
  page,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const hook = await app.importHook('transaction.auth', 'tasks')
  await app.command('handlers', 'add', 'mine', '--url', `${endpoint.origin}/mine`)
  await app.command('handlers', 'use', 'mine')
  await app.deliver(hook, body(1))
  await app.deliver({ ...hook, secret: 'another-secret-0123456789' }, body(2))
  await app.deliver(hook, body(3))
  const deliveries = rowsWith(page, /Valid|Invalid/)
  await expect(deliveries).toHaveCount(3)

  const detail = deliveryIn(page)
  const comparison = regionIn(page, 'Comparison', { exact: true })
  const count = page.getByTestId('count')
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  const clearClipboard = () => page.evaluate(() => navigator.clipboard.writeText(''))
  const pressed = async (...keys: string[]) => {
    for (const key of keys) await press(page, key)
  }
  /** Selects a row of the list, then takes each step: a key, or a click. */
  const task = async (
    row: number,
    steps: readonly (string | Locator | (() => Promise<void>))[],
    check: () => Promise<void>,
    most = 2,
  ) => {
    expect(steps.length).toBeLessThanOrEqual(most)
    await clearClipboard()
    await deliveries.nth(row).click()
    await expect(deliveries.nth(row)).toHaveAttribute('aria-selected', 'true')
    await expect(detail).toBeVisible()
    for (const step of steps)
      await (typeof step === 'string'
        ? page.keyboard.press(step)
        : typeof step === 'function'
          ? step()
          : step.click())
    await check()
  }
  const button = (name: string | RegExp, within: Locator = detail) => buttonIn(within, name)
  const tab = (name: string | RegExp) => tabIn(detail, name)

  const whyInvalid = "doesn't match the transaction.auth hook's secret"
  const why = () => expect(detail.getByRole('tabpanel')).toContainText(whyInvalid)
  await task(1, ['2'], why)
  await task(1, [tab('Overview')], () =>
    expect(regionIn(detail, 'Summary')).toContainText(whyInvalid),
  )
  await task(1, [tab('Signature')], why)

  await task(0, [tab('Body'), button('Copy body as shown')], () =>
    expect.poll(clipboard).toContain('3.50'),
  )

  await task(0, ['b'], () => expect.poll(clipboard).toBe(body(3)))

  const curl = menuItemIn(page, /^Copy as cURL/)
  await task(0, [button('Copy…'), curl], () =>
    expect.poll(clipboard).toMatch(/3\.50[^]*openssl[^]*curl/),
  )

  await task(0, ['Y'], () => expect.poll(clipboard).toMatch(/3\.50[^]*openssl[^]*curl/))

  const received = () =>
    endpoint.requests.map((request) => `${request.line} ${request.body.toString()}`)
  await task(0, ['r'], () => expect.poll(received).toEqual([`POST /mine HTTP/1.1 ${body(3)}`]))
  await task(0, [button(/^Replay to/)], () => expect.poll(() => received().length).toBe(2))

  const composer = dialogIn(page, /^Replay with changes/)
  const editor = composer.getByRole('textbox', { name: 'Body' })
  const selectAmount = () => editor.getByText('3.50', { exact: true }).dblclick()
  const sentChanged = async () => {
    await expect
      .poll(() => received().at(-1))
      .toBe(`POST /mine HTTP/1.1 ${body(3).replace('3.50', '3.9')}`)
    await press(page, 'Escape')
    await expect(composer).toBeHidden()
  }
  await task(0, ['Shift+R', selectAmount, '9', 'ControlOrMeta+Enter'], sentChanged, 4)

  await task(0, ['C'], async () => {
    // The previous delivery of this event. The invalid delivery in between has no identified event.
    await expect(comparison).toContainText('1.50')
    await expect(comparison).toContainText('3.50')
    await expect(comparison).not.toContainText('2.50')
    await pressed('g', 'd')
    await expect(comparison).toBeHidden()
  })

  const onlyInvalid = async () => {
    await expect(deliveries).toHaveCount(1)
    await expect(count).toHaveText('1 of 3')
    await pressed('s', 'a')
    await expect(deliveries).toHaveCount(3)
  }
  await task(0, ['s', 'i'], onlyInvalid)
  await task(0, [button(/^Invalid/, page.getByRole('toolbar', { name: 'Views' }))], onlyInvalid)

  const all = page.getByRole('contentinfo').getByText(/^\d.* deliver(y|ies)$/)
  const more = async (than: string) => {
    await expect(all).not.toHaveText(than)
    return (await all.textContent()) ?? ''
  }
  let stored = '3 stored deliveries'
  for (const step of ['S', buttonIn(page, 'Send sample').first()])
    await task(0, [step], async () => {
      stored = await more(stored)
    })

  const cleared = async () => {
    await expect(deliveries).toHaveCount(0)
    await pressed('ControlOrMeta+z')
    await expect(deliveries.first()).toBeVisible()
  }
  await task(0, ['ControlOrMeta+Shift+Backspace'], cleared)
  const remove = menuItemIn(page, 'Delete all that is not pinned')
  await task(0, [buttonIn(regionIn(page, 'List'), 'More', { exact: true }), remove], cleared)

  // From the list, without a delivery beside it, and the first row selected by key.
  await press(page, 'Escape')
  await expect(detail).toBeHidden()
  await press(page, 'Home')
  await clearClipboard()
  await pressed('b')
  await expect.poll(clipboard).toContain('amount')
  await pressed('Y')
  await expect.poll(clipboard).toMatch(/openssl[^]*curl/)
  await pressed('r')
  await expect.poll(() => received().length).toBe(4)

  // Last, because samples are sent to every hook of their event.
  const registration = dialogIn(page, 'Register hook')
  const registered = async () => {
    await expect(registration).toBeHidden()
    await expect(regionIn(page, 'Hook list').getByRole('row')).toHaveCount(3)
    await pressed('g', 'd')
  }
  const hooks = buttonIn(page.getByRole('navigation', { name: 'Navigation' }), 'Hooks')
  const opener = buttonIn(page, 'Register hook', { exact: true })
  await task(0, [hooks, opener, buttonIn(registration, /^Register/)], registered, 3)
})
