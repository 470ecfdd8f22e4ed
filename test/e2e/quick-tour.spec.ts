import type { Page } from '@playwright/test'
import {
  buttonIn,
  click,
  deliveryIn,
  dialogIn,
  fill,
  headingIn,
  regionIn,
  select,
  tabIn,
} from './controls.ts'
import { expect, rowsWith, test } from './fixtures.ts'

const panelOf = (page: Page) => regionIn(page, 'Quick tour')
const button = (page: Page, name: string) => buttonIn(panelOf(page), name, { exact: true })
const step = (page: Page, name: string) => headingIn(panelOf(page), name)
const tab = (page: Page, name: string) => tabIn(deliveryIn(page), name)

test('from nothing to a flow: each step shows what happened before it offers the next', async ({
  endpoint,
  page,
}) => {
  await click(page, 'Take the quick tour · 2 minutes')
  await expect(button(page, 'Send sample')).toBeFocused()
  await button(page, 'Send sample').click()
  await expect(panelOf(page)).toContainText('The delivery arrived.')
  await expect(rowsWith(page, 'Valid')).toHaveCount(1)
  await button(page, 'Next').click()

  // The first sample opens with its signature.
  await expect(step(page, 'Read the signature')).toBeVisible()
  await expect(panelOf(page)).toContainText('Valid: body, URL and timestamp')
  await tab(page, 'Overview').click()
  await button(page, 'Open signature').click()
  await expect(tab(page, 'Signature')).toHaveAttribute('aria-selected', 'true')
  await button(page, 'Next').click()

  await button(page, 'Change one character and resend').click()
  await expect(panelOf(page)).toContainText('Invalid: the signature no longer matches the body.')
  await expect(rowsWith(page, 'Invalid')).toBeInViewport({ ratio: 1 })
  await expect(page.getByText(/^\d+ new$/)).toBeHidden()
  await button(page, 'Next').click()

  await button(page, 'Add handler…').click()
  const dialog = dialogIn(page, /handler/i)
  await fill(dialog, 'URL', `${endpoint.origin}/webhooks`, { exact: true })
  await select(dialog, 'Secret', "The handler's own", { exact: true })
  await fill(dialog, 'Handler secret', 'secret-of-the-tour', { exact: true })
  await click(dialog, /^(Add|Save) handler/)
  await button(page, 'Replay to @local').click()
  await expect(panelOf(page)).toContainText('Sent.')
  await expect
    .poll(() => endpoint.requests.map(({ line }) => line))
    .toEqual(['POST /webhooks HTTP/1.1'])
  await button(page, 'Next').click()

  await button(page, 'Run the purchase flow').click()
  await expect(panelOf(page)).toContainText('Each step shows what was expected')
  await button(page, 'Finish').click()
  await expect(panelOf(page)).toBeHidden()
})
