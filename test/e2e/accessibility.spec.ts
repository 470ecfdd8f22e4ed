/**
 * A walk with axe: every screen with its tabs, menus and dialogs, empty and with data, dark and
 * light, in a wide and a narrow window. Dialogs are found by their buttons, which end with "…".
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator, Page } from '@playwright/test'
import type { AxeResults, RunOptions } from 'axe-core'
import { signedHeaders } from '../support/deliver.ts'
import {
  buttonIn,
  chooseInList,
  click,
  deliveryIn,
  dialogIn,
  fill,
  goTo,
  headingIn,
  menuItemIn,
  press,
  regionIn,
  searchCommands,
  tabIn,
  write,
} from './controls.ts'
import { expect, jsonAnswer, listOf, openRow, rowsWith, test } from './fixtures.ts'

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)
const SCREENS = ['Deliveries', 'Handlers', 'Hooks', 'Flows', 'Sandbox', 'Settings'] as const
/** More rows than fit, so that the list scrolls. */
const SCREENFUL = 40
const DIALOG = '[role=dialog]'
const MENU = '[role=menu]'
/** Buttons that open no dialog of the page, but the system's, another part, or a file. */
const NO_DIALOG = /^(Open file|Choose a file|Change port|Save diagnostics|Try another secret)…$/

declare global {
  interface Window {
    readonly axe?: { run(context: { include: string[] }, options: RunOptions): Promise<AxeResults> }
  }
}

async function violationsOf(
  page: Page,
  within: string,
  rules: readonly string[] | null,
): Promise<string[]> {
  // Compiling axe takes longer than a check. There are no frames.
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(axeSource)
  // Describing the thousands of elements that pass takes as long as the check.
  const only: RunOptions = { resultTypes: ['violations'] }
  const options: RunOptions =
    rules === null ? only : { ...only, runOnly: { type: 'rule', values: [...rules] } }
  const violations = await page.evaluate(
    async (asked) => {
      if (window.axe === undefined)
        throw new Error('The page was loaded anew while axe looked at it.')
      // Changing a theme or opening a dialog takes a few frames: inherited colors follow their
      // ancestors.
      const transitions = () =>
        document.getAnimations().filter((animation) => animation instanceof CSSTransition)
      for (let under = transitions(); under.length > 0; under = transitions())
        await Promise.allSettled(under.map(({ finished }) => finished))
      return (await window.axe.run({ include: [asked.within] }, asked.options)).violations
    },
    { within, options },
  )
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} — ${node.failureSummary ?? ''}`).join(' | ')}`,
  )
}

/**
 * Expects no violations in the dark theme, none of colors in the light theme, and nothing beyond
 * the window's edge.
 */
async function expectAccessible(page: Page, where: string, within = 'html'): Promise<void> {
  const showTheme = async (colorScheme: 'dark' | 'light') => {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
  }
  expect(await violationsOf(page, within, null), `${where}, dark`).toEqual([])
  await showTheme('light')
  const colors = ['color-contrast', 'link-in-text-block']
  expect(await violationsOf(page, within, colors), `${where}, light`).toEqual([])
  await showTheme('dark')
  const beyond = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(beyond, `${where}: pixels beyond the window`).toBeLessThanOrEqual(0)
}

async function checkLayer(page: Page, name: string, layer: string, open: () => Promise<void>) {
  await open()
  await expect(page.locator(layer).first(), name).toBeVisible()
  await expectAccessible(page, name, layer)
  await press(page, 'Escape')
  await expect(page.locator(layer), name).toHaveCount(0)
}

/** Checks a part of the page, and every dialog that its buttons open. */
async function checkPart(page: Page, name: string, within = 'html'): Promise<void> {
  await expectAccessible(page, name, within)
  const openers = buttonIn(page.getByRole('main'), /…$/).filter({ visible: true })
  const names = new Set(
    await openers.evaluateAll((all) =>
      all
        .filter((one) => !(one instanceof HTMLButtonElement && one.disabled))
        .map((one) => one.ariaLabel ?? one.textContent),
    ),
  )
  for (const opener of names)
    if (!NO_DIALOG.test(opener))
      await checkLayer(page, `${name}: ${opener}`, DIALOG, () =>
        buttonIn(page.getByRole('main'), opener, { exact: true }).first().click(),
      )
}

async function checkEach(
  page: Page,
  name: string,
  choices: Locator,
  { within = 'html', check = checkPart } = {},
): Promise<void> {
  for (const choice of await choices.all()) {
    await choice.click()
    await check(page, `${name}: ${(await choice.textContent()) ?? ''}`, within)
  }
}

async function checkScreens(page: Page, check = checkPart): Promise<void> {
  for (const screen of SCREENS) {
    await goTo(page, screen)
    await expect(page).toHaveTitle(new RegExp(`^${screen}`))
    await expect(page.getByRole('main').getByRole('status', { name: /^Loading/ })).toHaveCount(0)
    await check(page, screen)
    const views = page.getByRole('main').getByRole('radiogroup', { name: 'View', exact: true })
    await checkEach(page, screen, views.locator('label'), { check })
  }
}

test('every screen and section of the settings is accessible while there is nothing to show', async ({
  page,
}) => {
  // Each axe run takes seconds on a busy computer.
  test.slow()
  await expect(headingIn(page, 'Receive your first webhook')).toBeVisible()
  // With data, the same buttons open the same dialogs.
  await checkScreens(page, expectAccessible)
  const sections = page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button')
  await checkEach(page, 'Settings', sections, { within: 'section[aria-label="Settings"]' })
  for (const search of ['port', 'nothing like this']) {
    await write(page.getByRole('searchbox', { name: 'Search settings' }), search)
    await expectAccessible(page, `settings found by ${search}`)
  }
  await write(page.getByRole('searchbox', { name: 'Search settings' }), '')
  await goTo(page, 'Deliveries')
  await checkLayer(page, 'palette', DIALOG, () => searchCommands(page, 't'))
  await checkLayer(page, 'shortcuts', DIALOG, () => press(page, '?'))
})

test('every screen, dialog, menu and tab is accessible with data, at 900 and at 1440 pixels', async ({
  app,
  endpoint,
  page,
}) => {
  test.slow()
  endpoint.answer = jsonAnswer(500, { error: 'LedgerConflict' })
  const hook = await app.importHook('transaction.auth', 'axe')
  await app.importHook('card.linked', 'cards')
  for (let amount = 1; amount <= SCREENFUL; amount++)
    await app.deliver(hook, `{"amount":${amount},"brand":{"name":"Harbour Coffee"}}`)
  await app.command('handlers', 'add', 'local', '--url', `${endpoint.origin}/webhooks`)
  await app.command('flow', 'run', 'purchase-visa').catch(() => '')
  await app.deliver(hook, '{"amount":10.00,"list":[true,null,"text"]}')
  await app.deliver(hook, '{"amount":10.00}', { timestamp: String(Date.now() - 600_000) })
  await app.send('/nobody', 'plain text', [], 'PUT')
  await app.deliver(hook, '{"amount":3}', { url: `${hook.url}/` })
  await app.deliver(hook, '{"amount":1}', { body: '{"amount":2}' })
  await app.command('replay', 'latest', '--to', '@local').catch(() => '')
  await app.command('check', '@local').catch(() => '')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', String(SCREENFUL + 6))
  await listOf(page).focus()
  // Tab stops at the list, not at its rows.
  for (let stop = 0; stop < 10; stop++) {
    await press(page, 'Tab')
    expect(await page.locator('[role=rowgroup]:focus').count()).toBe(0)
  }
  await page.setViewportSize({ width: 900, height: 700 })
  await checkScreens(page)
  await goTo(page, 'Deliveries')
  await page.setViewportSize({ width: 1440, height: 900 })
  const list = listOf(page)
  const detail = await openRow(page, 'Invalid')
  await checkEach(page, 'a delivery', detail.getByRole('tab'), {
    within: '[aria-label="Delivery"]',
    check: expectAccessible,
  })
  await rowsWith(page, 'Invalid').nth(1).click()
  for (const tab of ['Overview', 'Signature'] as const) {
    await tabIn(detail, tab).click()
    await expectAccessible(page, `another diagnosis, ${tab}`)
  }
  await openRow(page, 'stale')
  await expectAccessible(page, 'stale', '[aria-label="Delivery"]')
  await click(detail, 'More', { exact: true })
  await menuItemIn(page, 'Full width').click()
  await expectAccessible(page, 'full width')
  await click(detail, 'More', { exact: true })
  await menuItemIn(page, 'Show beside the list').click()

  const rightClick = { button: 'right' } as const
  const menus: Readonly<Record<string, () => Promise<void>>> = {
    'of a row': () => rowsWith(page, 'Valid').first().click(rightClick),
    'of the list': () => click(regionIn(page, 'List', { exact: true }), 'More', { exact: true }),
    'of the time range': () => click(page, /^Time range/),
    'of views': () =>
      page.getByRole('toolbar', { name: 'Views' }).getByRole('button').last().click(),
    'of copies': () => click(detail, 'Copy…', { exact: true }),
    'of a delivery': () => click(detail, 'More', { exact: true }),
  }
  for (const [name, open] of Object.entries(menus)) await checkLayer(page, name, MENU, open)
  await tabIn(detail, /^Body/).click()
  await checkLayer(page, 'of a value', MENU, () =>
    detail.getByRole('treeitem').filter({ hasText: '"amount"' }).click(rightClick),
  )
  for (const key of ['e', 'R']) {
    await list.focus()
    await checkLayer(page, `the dialog of ${key}`, DIALOG, () => press(page, key))
  }
  const entries = ['Import deliveries…', 'Export all deliveries…', 'New request…']
  for (const entry of entries)
    await checkLayer(page, entry, DIALOG, () => chooseInList(page, entry))
  await checkLayer(page, 'body columns', DIALOG, async () => {
    await chooseInList(page, 'Columns')
    await menuItemIn(page, 'Body columns…').click()
  })
  await checkLayer(page, 'a preview of what is shared', DIALOG, async () => {
    await chooseInList(page, 'Share all deliveries…')
    await click(page, 'Preview', { exact: true })
    await expect(page.getByText(/to share\. Nothing was written yet/)).toBeVisible()
  })

  // Two requests, each with its diagnosis.
  const requests = [1, 2].map((amount) => {
    const body = `{"amount":${amount}}`
    const headers = signedHeaders(`${hook.secret}x`, body, hook.url).map((one) => one.join(': '))
    return ['POST /hooks HTTP/1.1', ...headers, '', body].join('\n')
  })
  await searchCommands(page, 'Verify a request')
  await press(page, 'Enter')
  const verify = dialogIn(page, 'Verify a request')
  await fill(verify, 'Request', requests.join('\n\n###\n\n'), { exact: true })
  await click(verify, 'Verify', { exact: true })
  await expect(regionIn(verify, /^Result/)).toHaveCount(2)
  await expectAccessible(page, 'two diagnoses', DIALOG)
  await press(page, 'Escape')
  await click(verify, 'Discard', { exact: true })
  // A closing dialog would swallow the key.
  await expect(verify).toBeHidden()
  await list.focus()

  await press(page, 'C')
  const views = regionIn(page, 'Comparison').getByRole('tab')
  // It opens once the previous delivery was found.
  await views.first().waitFor()
  await checkEach(page, 'a comparison', views, { check: expectAccessible })
  await press(page, 'g', 'd')
  await chooseInList(page, 'Pause capture')
  await expect(page.getByText('Capture paused.')).toBeVisible()
  await fill(page, 'Filter deliveries', 'is:nonsense ')
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByRole('listbox')).toHaveCount(0)
  await expectAccessible(page, 'paused, and a filter refused')

  await goTo(page, 'Handlers')
  await press(page, 'g', 'k')
  await expect(headingIn(page, 'Check', { level: 1 })).toBeVisible()
  await expectAccessible(page, 'a check')
  await goTo(page, 'Flows')
  await buttonIn(regionIn(page, 'Flow list'), /^Visa purchase/).click()
  await expect(page.getByRole('status', { name: 'Verdict' })).toBeVisible()
  await checkPart(page, 'a run')
})

test('the page beside an open list of suggestions stays reachable for screen readers', async ({
  app,
  page,
}) => {
  await app.command('handlers', 'add', 'local', '--url', 'http://127.0.0.1:9/webhooks')
  await app.deliver(await app.importHook('transaction.auth', 'beside'), '{"amount":1}')
  const expectNothingHidden = async (where: string) => {
    expect(await violationsOf(page, 'html', ['aria-hidden-focus']), where).toEqual([])
  }
  await openRow(page, 'Valid', 'Overview')
  await fill(page, 'Filter deliveries', 'is:')
  await expect(page.getByRole('option').first()).toBeVisible()
  await expectNothingHidden('completions')
  await expect(deliveryIn(page)).toBeVisible()
  await press(page, 'Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await fill(page, 'Filter deliveries', '')
  await press(page, 'Escape')

  await listOf(page).focus()
  await press(page, 'R')
  const composer = dialogIn(page, 'Replay with changes')
  const saved = page.getByRole('listbox', { name: 'Suggestions' })
  const chevron = buttonIn(composer, 'Show suggestions')
  const middleOf = async (part: Locator) => {
    const { y, height } = (await part.boundingBox())!
    return y + height / 2
  }
  const target = composer.getByRole('combobox', { name: 'Send to' })
  expect(await middleOf(chevron.locator('svg'))).toBeCloseTo(await middleOf(target), 0)
  await chevron.click()
  await expect(saved).toBeVisible()
  await expectNothingHidden('saved handlers')
  await expect(composer.getByRole('combobox', { name: 'Tamper' })).toBeVisible()
  // The dialog still hides the page behind it.
  await expect(page.getByRole('navigation', { name: 'Navigation' })).toHaveCount(0)
  await press(page, 'Escape')
  await expect(saved).toBeHidden()
  expect(await page.locator('body > [aria-live="off"]').count()).toBe(0)
  await press(page, 'Escape')
  await expect(composer).toBeHidden()
})
