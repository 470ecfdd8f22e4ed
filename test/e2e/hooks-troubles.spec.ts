import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import { makeTestTlsApart } from '../support/test-tls.ts'
import { click, dialogIn, goTo, select, regionIn, write } from './controls.ts'
import { expect, test as base } from './fixtures.ts'

/** A remote service, known here as environment `other`. */
const test = base.extend<{ service: OtherService }>({
  service: async ({ app }, provide) => {
    const tls = makeTestTlsApart()
    const service = await startOtherService(tls)
    const caFile = join(app.dataFolder, 'authority-of-the-test.pem')
    writeFileSync(caFile, tls.caPem)
    const account = ['--mode', 'test', '--base-url', service.origin, '--ca', caFile]
    // Allows for a busy test computer.
    const options = ['--key', 'sk_12345678', '--timeout', '180']
    await app.command('environments', 'add', 'other', ...account, ...options)
    await provide(service)
    await service.close()
  },
})

function detailOf(page: Page): Locator {
  return regionIn(page, 'Hook', { exact: true })
}

test("a sync shows its plan, then imports new hooks; an event that the spec doesn't list is registered with a warning", async ({
  service,
  page,
}) => {
  await goTo(page, 'Hooks')
  await click(page, 'Sync')
  const dialog = dialogIn(page, 'Sync hooks')
  await select(dialog, 'Environment', 'other (test)')
  const event = 'brand.consent'
  const body = JSON.stringify([
    { id: 'h-1', event, url: 'https://a.test/1', secretKey: 'listed-secret-0123' },
    { id: 'h-2', event, url: 'http://a.test/2' },
  ])
  service.interrupt({ status: 200, body })
  await click(dialog, 'Compare')
  const compared = regionIn(dialog, 'Compared hooks')
  await expect(compared.getByRole('status')).toHaveText('Would change 1 hook here.')
  await expect(compared.getByRole('listitem')).toHaveCount(2)
  await expect(compared).toContainText("Can't be imported: Use an HTTPS URL")
  service.interrupt({ status: 200, body })
  await click(dialog, 'Apply')
  await expect(compared.getByRole('status')).toHaveText('Changed 1 hook here.')
  await click(dialog, 'Done')
  await expect(detailOf(page)).toContainText('…0123')

  await click(page, 'Register hook')
  const registering = dialogIn(page, 'Register hook')
  await select(registering, 'Environment', 'other (test)')
  const name = registering.getByLabel('Event')
  await write(name, 'card.expired')
  await expect(name).toHaveAccessibleDescription(/Not in the spec/)
  await expect(registering.getByLabel('URL')).toHaveValue(/\/h\/card-expired-/)
  await expect(regionIn(registering, 'Warnings')).toContainText('Unknown event type card.expired')
  service.interrupt('drop')
  await click(registering, 'Register in other')
  await expect(registering.getByRole('alert')).toContainText('stored here as unconfirmed')
  await click(registering, 'Register in other')
  await expect(registering.getByRole('status')).toContainText('Hook for card.expired registered.')
  await click(registering, 'Done')
  await expect(detailOf(page).getByRole('heading', { level: 2 })).toContainText('card.expired')
})
