/** Hooks when the service doesn't respond or rejects requests. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import { makeTestTlsApart } from '../support/test-tls.ts'
import { expect, test as base, type App } from './fixtures.ts'

/** A remote service, known here as environment `other`, and the timeout of its calls in seconds. */
const test = base.extend<{ service: OtherService; patience: string }>({
  // Allows for a busy test computer.
  patience: ['15', { option: true }],
  service: async ({ app, patience }, provide) => {
    const tls = makeTestTlsApart()
    const service = await startOtherService(tls)
    const caFile = join(app.dataFolder, 'authority-of-the-test.pem')
    writeFileSync(caFile, tls.caPem)
    const account = [
      '--mode',
      'test',
      '--base-url',
      service.origin,
      '--ca',
      caFile,
      '--key',
      'sk_12345678',
      '--timeout',
      patience,
    ]
    await app.command('environments', 'add', 'other', ...account)
    await provide(service)
    await service.close()
  },
})

function detailOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Hook', exact: true })
}

/** Registers a brand hook in an environment, at a URL of this receiver. */
async function ask({ page }: App, environment: string): Promise<Locator> {
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await page.getByRole('button', { name: 'Register hook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Register hook' })
  await dialog.getByLabel('Environment').selectOption(environment)
  await dialog.getByLabel('Event').selectOption('brand.consent')
  await expect(dialog.getByLabel('URL')).toHaveValue(/\/h\/brand-consent-/)
  await dialog.getByRole('button', { name: `Register in ${environment}` }).click()
  return dialog
}

test.describe('with a service that hangs', () => {
  test.use({ patience: '0.5' })

  test('a creation without a response leaves an unconfirmed hook, which a secret confirms', async ({
    app,
    service,
  }) => {
    const { page } = app
    service.interrupt('hang')
    const dialog = await ask(app, 'other')
    await expect(dialog.getByRole('alert')).toContainText("didn't respond")
    await expect(dialog.getByText("It's listed as unconfirmed")).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const detail = detailOf(page)
    await expect(detail.getByRole('heading', { level: 2 })).toContainText('Unconfirmed')
    await expect(detail.getByRole('note')).toContainText('the hook may or may not exist')
    await expect(detail.getByRole('button', { name: 'Edit…' })).toBeDisabled()

    await detail.getByRole('button', { name: 'Add secret…' }).click()
    const form = page.getByRole('dialog', { name: 'Add secret' })
    await form.getByLabel('New secret', { exact: true }).fill('given-by-hand-0123456789')
    await form.getByRole('button', { name: 'Use this secret' }).click()
    await expect(form).toBeHidden()
    const [url = ''] =
      /https:\/\/127\.0\.0\.1:\d+\/h\/brand-consent-[0-9a-f]+/.exec(await detail.innerText()) ?? []
    expect(await app.deliver({ url, secret: 'given-by-hand-0123456789' }, '{}')).toBe(200)
    await expect(detail.getByRole('button', { name: /^Valid/ })).toHaveCount(1)
  })
})

test('when hooks are moved to another URL, one that the service rejects keeps its URL and says why', async ({
  app,
  service,
}) => {
  const { page } = app
  await expect(await ask(app, 'sandbox-test')).toBeHidden()
  // Outside the sandbox, a URL on this computer causes a warning.
  const warned = await ask(app, 'other')
  await expect(warned.getByRole('region', { name: 'Warnings' })).toContainText("can't reach")
  await warned.getByRole('button', { name: 'Done' }).click()
  await expect(warned).toBeHidden()

  await page.getByRole('button', { name: 'Set public URL…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Public URL' })
  await dialog.getByLabel('URL').fill('https://demo.tunnel.test')
  await dialog.getByRole('button', { name: 'Save URL' }).click()
  service.interrupt({ status: 422, body: '{"fault":"not today"}' })
  await dialog.getByRole('button', { name: 'Re-point 2 hooks' }).click()
  await expect(dialog.getByRole('status')).toHaveText('1 hook re-pointed, 1 kept the old URL.')
  await expect(dialog.getByRole('img', { name: 'Re-pointed', exact: true })).toHaveCount(1)
  const kept = dialog
    .getByRole('listitem')
    .filter({ has: page.getByRole('img', { name: 'Not re-pointed' }) })
  await expect(kept).toContainText('the service returned 422 with {"fault":"not today"}')
  await expect(kept).toContainText(app.receiver)
})
