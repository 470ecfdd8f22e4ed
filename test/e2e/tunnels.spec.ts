/**
 * A public URL in the window: missing tunnel tools, a tunnel that starts, fails and returns with another URL, hooks that follow it,
 * and the test of the URL. The tools are stand-ins that really forward requests.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { installNgrokStandIn, installStandIn, type StandIn } from '../support/standin-tunnels.ts'
import { makeTestTlsApart } from '../support/test-tls.ts'
import { expectNoViolations } from './accessible.ts'
import { expect, test, type App } from './fixtures.ts'

const NAME = /https:\/\/stand-in-\d+\.trycloudflare\.com/
const path = process.env['PATH'] ?? ''
let folder: string
let standIn: StandIn

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-tunnels-'))
  standIn = await installStandIn(folder)
  Object.assign(process.env, standIn.env, { PATH: `${standIn.folder}${delimiter}${path}` })
})
test.afterAll(() => {
  process.env['PATH'] = path
  rmSync(folder, { recursive: true, force: true })
})

async function openDialog({ page }: App, button: string) {
  await page
    .getByRole('region', { name: 'Hooks', exact: true })
    .getByRole('button', { name: button })
    .click()
  return page.getByRole('dialog', { name: 'Public URL' })
}

test('a tunnel is started and stopped, and hooks follow when its URL changes', async ({ app }) => {
  const { page } = app
  await app.importHook('transaction.auth', 'followed')
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  const dialog = await openDialog(app, 'Set public URL…')
  await dialog.getByText('ngrok', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Start tunnel' }).click()
  await expect(dialog).toContainText("ngrok isn't installed on this computer.")
  await expectNoViolations(app, 'a program that is missing')

  await dialog.getByText('cloudflared', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Start tunnel' }).click()
  await dialog.getByRole('button', { name: 'Re-point 1 hook' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await openDialog(app, 'Change…')
  await expect(dialog.getByText('cloudflared tunnel running')).toBeVisible()
  await expect(dialog.getByText(NAME)).toBeVisible()
  const testView = dialog.getByRole('region', { name: 'Test' })
  await testView.getByRole('button', { name: 'Test' }).click()
  await expect(testView).toContainText('Unreachable')
  await expect(dialog).toContainText("can't be resolved")
  await expectNoViolations(app, 'a tunnel that is up')
  await dialog.getByRole('button', { name: 'Done' }).click()

  const hooks = page.getByRole('region', { name: 'Hooks', exact: true })
  const [first] = await standIn.starts()
  process.kill(first?.pid ?? 0, 'SIGKILL')
  await expect(hooks.getByText('cloudflared failed')).toBeVisible()
  await expect(hooks.getByText('1 hook still points to an expired URL.')).toBeVisible()
  await expect(hooks.getByText(first?.address ?? '', { exact: true })).toBeVisible()
  await expectNoViolations(app, 'hooks that get nothing')
  await openDialog(app, 'Set public URL…')
  await dialog.getByText('cloudflared', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Start tunnel' }).click()
  await expect(dialog.getByText('cloudflared tunnel running')).toBeVisible()
  await page.keyboard.press('Escape')
  await hooks.getByRole('button', { name: 'Re-point…' }).click()
  const moving = page.getByRole('dialog', { name: 'Re-point hooks' })
  await moving.getByRole('button', { name: 'Re-point 1 hook' }).click()
  await moving.getByRole('button', { name: 'Done' }).click()
  await expect(hooks.getByText('still points')).toHaveCount(0)

  await (await openDialog(app, 'Change…')).getByRole('button', { name: 'Stop tunnel' }).click()
  await expect(dialog.getByRole('button', { name: 'Start tunnel' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(hooks.getByText('Reachable from this computer only')).toBeVisible()
})

test('a public URL that reaches the receiver passes its test, with a tunnel tool and with a URL entered manually', async ({
  app,
}) => {
  const { page } = app
  const front = await startFront(app)
  await installNgrokStandIn(standIn.folder, front.address, join(folder, 'asked.txt'))
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  const dialog = await openDialog(app, 'Set public URL…')
  await dialog.getByText('ngrok', { exact: true }).click()
  await dialog.getByLabel('Domain').fill('https://me.example')
  await dialog.getByRole('button', { name: 'Start tunnel' }).click()
  await expect(dialog.getByLabel('Domain')).toHaveAttribute('aria-invalid', 'true')
  await expectNoViolations(app, 'the domain of ngrok')
  await dialog.getByLabel('Domain').fill('')
  await dialog.getByRole('button', { name: 'Start tunnel' }).click()
  await dialog.getByRole('button', { name: 'Test' }).click()
  await expect(
    dialog.getByRole('region', { name: 'Test' }).getByText('Reached', { exact: true }),
  ).toBeVisible()
  expect(readFileSync(join(folder, 'asked.txt'), 'utf8')).toContain(`http ${app.receiver}`)
  await dialog.getByRole('button', { name: 'Stop tunnel' }).click()
  await expect(dialog.getByRole('button', { name: 'Start tunnel' })).toBeVisible()

  await dialog.getByText('Custom', { exact: true }).click()
  await dialog.getByLabel('URL').fill(front.address)
  await dialog.getByRole('button', { name: 'Save URL' }).click()
  await (await openDialog(app, 'Change…')).getByRole('button', { name: 'Test' }).click()
  await expect(
    dialog.getByRole('region', { name: 'Test' }).getByText('Reached', { exact: true }),
  ).toBeVisible()
  await front.close()
  await dialog.getByRole('button', { name: 'Test again' }).click()
  await expect(dialog.getByRole('region', { name: 'Test' })).toContainText('Connection refused at')
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await expect(
    page
      .getByRole('heading', { name: 'No deliveries yet' })
      .or(page.getByText('Send sample'))
      .first(),
  ).toBeVisible()
})

/** Forwards requests from a local port to the receiver, like a tunnel's URL. */
async function startFront({ receiver, caFile }: App) {
  const { key, cert } = makeTestTlsApart().leaf
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    const onwards = request(
      `${receiver}${url}`,
      { method, headers, ca: readFileSync(caFile), agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(onwards)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
