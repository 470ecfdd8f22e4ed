import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import { makeTestTlsApart } from '../support/test-tls.ts'
import { buttonIn, click, dialogIn, fill, goTo, select, regionIn, write } from './controls.ts'
import { expect, test as base, type App } from './fixtures.ts'

/** A remote service, known here as environment `other`, and the timeout of its calls in seconds. */
const test = base.extend<{ service: OtherService; patience: string }>({
  // Allows for a busy test computer.
  patience: ['180', { option: true }],
  service: async ({ app, patience }, provide) => {
    const tls = makeTestTlsApart()
    const service = await startOtherService(tls)
    const caFile = join(app.dataFolder, 'authority-of-the-test.pem')
    writeFileSync(caFile, tls.caPem)
    const account = ['--mode', 'test', '--base-url', service.origin, '--ca', caFile]
    const options = ['--key', 'sk_12345678', '--timeout', patience]
    await app.command('environments', 'add', 'other', ...account, ...options)
    await provide(service)
    await service.close()
  },
})

function detailOf(page: Page): Locator {
  return regionIn(page, 'Hook', { exact: true })
}

async function ask({ page }: App, environment: string): Promise<Locator> {
  await goTo(page, 'Hooks')
  await click(page, 'Register hook')
  const dialog = dialogIn(page, 'Register hook')
  await select(
    dialog,
    'Environment',
    `${environment} (${environment.endsWith('live') ? 'live' : 'test'})`,
  )
  await select(dialog, 'Event', 'brand.consent')
  await expect(dialog.getByLabel('URL')).toHaveValue(/\/h\/brand-consent-/)
  await click(dialog, `Register in ${environment}`)
  return dialog
}

test.describe('with a service that hangs', () => {
  test.use({ patience: '0.5' })

  test('a creation without a response leaves an unconfirmed hook, which a secret confirms', async ({
    app,
    service,
    page,
  }) => {
    service.interrupt('hang')
    const dialog = await ask(app, 'other')
    await expect(dialog.getByRole('alert')).toContainText("didn't respond")
    await expect(dialog.getByText("It's listed as unconfirmed")).toBeVisible()
    await click(dialog, 'Cancel')
    const detail = detailOf(page)
    await expect(detail.getByRole('heading', { level: 2 })).toContainText('Unconfirmed')
    await expect(detail.getByRole('note')).toContainText('the hook may or may not exist')
    await expect(buttonIn(detail, 'Edit…')).toBeDisabled()

    await click(detail, 'Add secret…')
    const form = dialogIn(page, 'Add secret')
    await fill(form, 'New secret', 'given-by-hand-0123456789', { exact: true })
    await click(form, 'Use this secret')
    await expect(form).toBeHidden()
    const [url = ''] =
      /https:\/\/127\.0\.0\.1:\d+\/h\/brand-consent-[0-9a-f]+/.exec(await detail.innerText()) ?? []
    expect(await app.deliver({ url, secret: 'given-by-hand-0123456789' }, '{}')).toBe(200)
    await expect(buttonIn(detail, /^Valid/)).toHaveCount(1)
  })
})

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
  await write(name, '')
  await expect(name).toHaveAccessibleDescription(/event is required/)
  await write(name, 'card.expired')
  await expect(name).toHaveAccessibleDescription(/Not in the spec/)
  await expect(registering.getByLabel('URL')).toHaveValue(/\/h\/card-expired-/)
  await expect(regionIn(registering, 'Warnings')).toContainText('Unknown event type card.expired')
  await click(registering, 'Register in other')
  await expect(registering.getByRole('status')).toContainText('Hook for card.expired registered.')
  expect(service.called('/v1/hooks').at(-1)).toMatchObject({ body: { event: 'card.expired' } })
  await click(registering, 'Done')
  await expect(detailOf(page).getByRole('heading', { level: 2 })).toContainText('card.expired')
})
