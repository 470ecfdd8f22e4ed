import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { click, headingIn } from './controls.ts'
import { expect, test } from './fixtures.ts'
import { hostName } from './hosts/launch-desktop.ts'

test.skip(hostName !== 'loopback', 'only a browser signs in')

async function isConnected(page: Page) {
  await expect(page.getByRole('contentinfo').getByText(/^Sandbox at /)).toBeVisible()
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeHidden()
}
const isSignedOut = (page: Page) => expect(headingIn(page, 'Signed out')).toBeVisible()

/** Takes the app's port until it is closed, and records what arrives. */
async function takePort(
  port: number,
  status: number,
  answer: (request: IncomingMessage) => object,
) {
  let received = ''
  const tickets = Promise.withResolvers<undefined>()
  const server = createHttpServer((request, response) => {
    received += `${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)}\n`
    response.writeHead(status).end(JSON.stringify(answer(request)))
    if (request.url === '/session') tickets.resolve(undefined)
  })
  server.on('upgrade', (request, socket) => {
    received += `upgrade ${request.url} ${JSON.stringify(request.rawHeaders)}\n`
    socket.destroy()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    received: () => received,
    /** Resolves when a tab has asked for a ticket. */
    asked: tickets.promise,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('every tab reconnects after a restart; another program on the port meanwhile gets no key; signing out ends it', async ({
  browser,
  commands,
  server,
}) => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'))
  const ports = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']
  const start = () => server.serve(['serve', '--json', '--data', dataFolder, ...ports])
  let running = await start()
  const { ui } = JSON.parse(running.line) as { ui: string }
  const { origin, port, hash } = new URL(ui)
  const key = hash.slice('#key='.length)
  const [context, elsewhere] = [await browser.newContext(), await browser.newContext()]
  try {
    const [first, second] = [await context.newPage(), await context.newPage()]
    await first.goto(ui)
    await isConnected(first)
    expect(first.url()).toBe(`${origin}/#/deliveries`)
    await second.goto(`${origin}/#/hooks`)
    await isConnected(second)
    expect(second.url()).toBe(`${origin}/#/hooks`)

    await running.stop()
    const stranger = await takePort(Number(port), 404, () => ({}))
    await stranger.asked
    await stranger.close()
    expect(stranger.received()).toContain('x-countersign')
    expect(stranger.received()).not.toContain(key)
    running = await start()
    for (const page of [first, second]) await isConnected(page)
    await second.reload()
    await isConnected(second)

    // A program that pretends to be Countersign.
    await running.stop()
    const invented = { nonce: 'A'.repeat(43), proof: 'A'.repeat(43) }
    const pretender = await takePort(Number(port), 200, () => invented)
    for (const page of [first, second]) await isSignedOut(page)
    await pretender.close()
    expect(pretender.received()).not.toContain(key)
    expect(pretender.received()).not.toContain('upgrade')
    running = await start()

    // Signing in again brings every tab of this browser back.
    const link = async (...options: string[]) => {
      const args = ['open', '--print', ...options, '--data', dataFolder]
      return (await commands.run(args)).trim()
    }
    await second.goto(await link())
    for (const page of [first, second]) await isConnected(page)
    const other = await elsewhere.newPage()
    await other.goto(await link())
    await isConnected(other)
    await second.goto(`${origin}/#/settings/remote`)
    await click(second, 'Sign out other browsers')
    await expect(second.getByText('Signed out other browsers')).toBeVisible()
    await isSignedOut(other)
    for (const page of [first, second]) await isConnected(page)

    // A link with another key doesn't replace this browser's.
    await second.goto('about:blank')
    await second.goto(`${origin}/#key=${'A'.repeat(43)}`)
    await isSignedOut(second)
    await second.reload()
    await isConnected(second)

    // A browser that loses its key needs a new link.
    await first.evaluate(() => localStorage.clear())
    await first.reload()
    await isSignedOut(first)
    await first.goto(await link('--sign-out'))
    await isConnected(first)
    await second.close()
    await other.reload()
    await expect(headingIn(other, 'Not signed in')).toBeVisible()
  } finally {
    await Promise.all([context.close(), elsewhere.close()])
    await running.stop().catch(() => null)
    rmSync(dataFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
})
