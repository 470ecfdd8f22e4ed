/**
 * The Sandbox screen while loading, after an error, and without a sandbox. These tests change messages between page and core, so
 * they run in a browser, where they can intercept the connection.
 */
import type { Page } from '@playwright/test'
import { expectNoViolations } from './accessible.ts'
import { expect, test } from './fixtures.ts'
import { hasWire } from './wire.ts'

test.skip(!hasWire, 'the messages of this host pass no wire')

interface Message {
  readonly id?: number
  readonly kind: string
  readonly command?: string
  output?: { sandbox?: string | null }
}

/** Forwards everything; responses to `command` go through `change` first. */
async function changeAnswers(
  page: Page,
  command: string,
  change: (message: Message) => object | Promise<object>,
): Promise<void> {
  await page.routeWebSocket(/\/rpc$/, (route) => {
    const asked = new Set<number>()
    const core = route.connectToServer()
    route.onMessage((text) => {
      const message = JSON.parse(String(text)) as Message
      if (message.command === command && message.id !== undefined) asked.add(message.id)
      core.send(text)
    })
    core.onMessage(async (text) => {
      const message = JSON.parse(String(text)) as Message
      const concerned =
        message.kind === 'response' && message.id !== undefined && asked.delete(message.id)
      route.send(concerned ? JSON.stringify(await change(message)) : text)
    })
  })
}

test('if no sandbox is running, the screen says so and how to start one', async ({ app }) => {
  const { page } = app
  await changeAnswers(page, 'app.status', (message) => {
    if (message.output !== undefined) message.output.sandbox = null
    return message
  })
  await page.goto(`${page.url().split('#')[0] ?? ''}#sandbox`)
  await page.reload()
  await expect(page.getByRole('heading', { name: "The sandbox isn't running" })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reset…' })).toHaveCount(0)
  await expectNoViolations(app, 'not running')
})

test('a loading error is shown, keeps the previous content, and can be retried', async ({
  app,
}) => {
  const { page } = app
  let failing = false
  await changeAnswers(page, 'sandbox.objects', ({ id }) =>
    failing
      ? {
          kind: 'response',
          id,
          ok: false,
          error: { code: 'INTERNAL', message: 'The disk is full.' },
        }
      : { kind: 'response', id, ok: true, output: { objects: [] } },
  )
  await page.reload()
  await page.getByRole('navigation').getByRole('button', { name: 'Sandbox' }).click()
  await expect(page.getByRole('textbox', { name: /^Payload of/ })).toBeVisible()
  failing = true
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await page.getByRole('navigation').getByRole('button', { name: 'Sandbox' }).click()
  const banner = page.getByRole('status').filter({ hasText: "Couldn't load the sandbox." })
  await expect(banner).toContainText('The disk is full. Showing the last known state.')
  await expect(page.getByRole('textbox', { name: /^Payload of/ })).toBeVisible()
  await expectNoViolations(app, 'failing')
  failing = false
  await banner.getByRole('button', { name: 'Try again' }).click()
  await expect(banner).toHaveCount(0)
})

test('slow loading shows a placeholder, and no empty state', async ({ app }) => {
  const { page } = app
  const held = Promise.withResolvers<undefined>()
  await changeAnswers(page, 'sandbox.objects', async (message) => {
    await held.promise
    return message
  })
  await page.reload()
  await page.getByRole('navigation').getByRole('button', { name: 'Sandbox' }).click()
  await expect(page.getByRole('status', { name: 'Loading sandbox' })).toBeVisible()
  await expectNoViolations(app, 'loading')
  held.resolve(undefined)
  await expect(page.getByRole('textbox', { name: /^Payload of/ })).toBeVisible()
})
