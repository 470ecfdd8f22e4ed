/**
 * The quick tour: from nothing to a verified purchase, with its own buttons or manually, and its behavior when something goes
 * wrong.
 */
import type { Locator, Page } from '@playwright/test'
import { expectNoViolations, expectNoViolationsInBothThemes } from './accessible.ts'
import { expect, rowsWith, test } from './fixtures.ts'

/** The time that the welcome screen promises. */
const TWO_MINUTES_MS = 120_000
const MOST_CLICKS = 12

const panelOf = (page: Page) => page.getByRole('region', { name: 'Quick tour' })
const target = (page: Page) => page.locator('[data-walk-target]')
const station = (page: Page, name: string) => panelOf(page).getByRole('heading', { name })

function countedClicks() {
  let count = 0
  return {
    get count() {
      return count
    },
    async press(button: Locator) {
      await button.click()
      count += 1
    },
  }
}

test('from nothing to a verified purchase: every step points at the right place, and everything can be removed and restored', async ({
  app,
}) => {
  test.slow()
  const { page } = app
  const began = Date.now()
  const clicks = countedClicks()
  const press = (name: string) =>
    clicks.press(panelOf(page).getByRole('button', { name, exact: true }))

  await clicks.press(page.getByRole('button', { name: 'Take the quick tour · 2 minutes' }))
  await expect(station(page, "What you'll see")).toBeVisible()
  await expect(panelOf(page).getByRole('button', { name: 'Start' })).toBeFocused()
  await press('Start')

  await press('Register hooks')
  await expect(panelOf(page)).toContainText('Both hooks are registered')
  await expect(target(page)).toContainText('transaction.auth')
  await press('Next: a payment')

  await press('Make a payment')
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(1)
  await expect(target(page)).toContainText('Valid')
  await press('Open delivery')

  await expect(station(page, 'The signature')).toBeVisible()
  await expect(target(page)).toContainText("Valid. Signed with the transaction.auth hook's secret.")
  await expect(
    panelOf(page).getByRole('button', { name: 'Change one character and resend' }),
  ).toBeFocused()
  await press('Change one character and resend')
  await expect(panelOf(page)).toContainText('Invalid: one character of the body was changed')
  await expect(target(page)).toContainText("Signature doesn't match")
  // The list scrolls to the delivery that the app opened.
  await expect(rowsWith(page, 'Invalid')).toBeInViewport({ ratio: 1 })
  await expect(page.getByText(/^\d+ new$/)).toBeHidden()
  await press('Next: two days later')

  await expect(target(page)).toContainText('UTC')
  await press('Advance to the clearing')
  await expect(panelOf(page)).toContainText('The complete purchase: paid, then cleared')
  await expect(target(page)).toContainText('Clearing')
  await press('Next steps')

  await expect(station(page, 'A verified purchase')).toBeVisible()
  const took = Date.now() - began
  await expectNoViolationsInBothThemes(app, 'the last station')
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await expect(rowsWith(page, 'Invalid')).toHaveCount(1)
  // The ten seconds for undoing start here.
  await press('Finish and remove')
  await expect(page.getByRole('heading', { name: 'Receive your first webhook' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(rowsWith(page, /^Valid/)).toHaveCount(2)
  await expect(rowsWith(page, 'Invalid')).toHaveCount(1)
  await expect(panelOf(page)).toBeHidden()
  expect(clicks.count).toBeLessThanOrEqual(MOST_CLICKS)
  expect(took).toBeLessThan(TWO_MINUTES_MS)
  test.info().annotations.push({ type: 'walk', description: `${clicks.count} clicks, ${took} ms` })
})

test('"Finish and keep it" keeps hooks and deliveries and sets the sandbox clock back', async ({
  app,
}) => {
  test.slow()
  const { page } = app
  const aheadMs = async () => {
    const { now } = JSON.parse(await app.command('sandbox', 'clock', 'show', '--json')) as {
      now: string
    }
    return Date.parse(now) - Date.now()
  }
  await page.getByRole('button', { name: 'Take the quick tour · 2 minutes' }).click()
  const press = (name: string) => panelOf(page).getByRole('button', { name, exact: true }).click()
  for (const name of [
    'Start',
    'Register hooks',
    'Next: a payment',
    'Make a payment',
    'Open delivery',
    'Skip',
  ])
    await press(name)
  await press('Advance to the clearing')
  await expect(panelOf(page)).toContainText('The complete purchase: paid, then cleared')
  expect(await aheadMs()).toBeGreaterThan(47 * 3_600_000)
  await press('Next steps')
  await press('Finish and keep')
  await expect(page.getByText('The sandbox clock shows real time again.')).toBeVisible()
  expect(Math.abs(await aheadMs())).toBeLessThan(60_000)
  await expect(rowsWith(page, 'transaction.clearing')).toHaveCount(1)
})

test('manual steps are recognized; a paused receiver is reported and fixed; the tour continues after a reload and a restart', async ({
  app,
}) => {
  test.slow()
  const { page } = app
  // A hook that the user imported without its program receives events for every program: the tour says so first.
  await app.importHook('transaction.auth', 'mine')
  await page.keyboard.press('Control+k')
  await page.getByLabel('Search commands').fill('quick tour')
  await page.keyboard.press('Enter')
  await expect(panelOf(page).getByRole('button', { name: 'Start' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page
    .getByRole('navigation', { name: 'Navigation' })
    .getByRole('button', { name: 'Deliveries' })
    .click()
  await page.getByRole('button', { name: 'Pause capture' }).click()
  await expect(panelOf(page)).toContainText('Capture paused.')
  await expectNoViolations(app, 'a walk that cannot go on', 'section[aria-label="Quick tour"]')
  await panelOf(page).getByRole('button', { name: 'Resume capture' }).click()
  await panelOf(page).getByRole('button', { name: 'Register hooks' }).click()
  await panelOf(page).getByRole('button', { name: 'Next: a payment' }).click()
  await expect(panelOf(page)).toContainText('Your hook for transaction.auth has no program')
  await panelOf(page).getByRole('button', { name: 'Make a payment' }).click()
  await expect(rowsWith(page, '/h/first-walk/auth')).toHaveCount(1)

  // Manually: the row instead of the button.
  await rowsWith(page, '/h/first-walk/auth').click()
  await expect(station(page, 'The signature')).toBeVisible()

  await page.reload()
  await expect(station(page, 'The signature')).toBeVisible()
  await panelOf(page).getByRole('button', { name: 'Show me' }).click()
  await expect(target(page)).toContainText("Valid. Signed with the transaction.auth hook's secret.")

  await panelOf(page).getByRole('button', { name: 'Skip' }).click()
  await page
    .getByRole('group', { name: 'Advance clock' })
    .getByRole('button', { name: '+72 h' })
    .click()
  await page
    .getByRole('group', { name: 'Advance clock' })
    .getByRole('button', { name: '+24 h' })
    .click()
  await expect(panelOf(page).getByRole('button', { name: 'Show purchase' })).toBeVisible()
  await panelOf(page).getByRole('button', { name: 'Show purchase' }).focus()
  await page.keyboard.press('Escape')
  await expect(panelOf(page)).toBeHidden()

  await app.restart()
  const again = app.page
  await again
    .getByRole('navigation', { name: 'Navigation' })
    .getByRole('button', { name: 'Settings' })
    .click()
  await again.getByRole('button', { name: 'About' }).click()
  await again.getByRole('button', { name: 'Continue the quick tour · 5 of 6' }).click()
  await expect(station(again, 'Two days later')).toBeVisible()
  await panelOf(again).getByRole('button', { name: 'Show purchase' }).click()
  await expect(panelOf(again)).toContainText('The complete purchase: paid, then cleared')
  await panelOf(again).getByRole('button', { name: 'Next steps' }).click()
  await panelOf(again).getByRole('button', { name: 'Finish and keep' }).click()
  await again.getByRole('button', { name: 'Hooks' }).click()
  await expect(again.getByRole('region', { name: 'Hook list' }).getByRole('row')).toHaveCount(4)
  await again.getByRole('button', { name: 'Flows' }).click()
  await expect(again.getByRole('button', { name: 'Retake the quick tour' })).toBeVisible()
})
