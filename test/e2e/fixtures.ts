/**
 * Shared parts of the end-to-end tests: the application on the host that `COUNTERSIGN_E2E_HOST`
 * names, with a new data folder, and deliveries sent to it over HTTPS as the service does.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, type Locator, type Page } from '@playwright/test'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import { startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'
import { buttonIn, deliveryIn, headingIn, tabIn } from './controls.ts'
import { startCommands, type Commands } from './hosts/commands.ts'
import type { HostOptions, LaunchHost, RunningHost } from './hosts/host.ts'
import { createServer, type Server } from './hosts/server.ts'
import { createProblemWatch, type ProblemWatch } from './page-problems.ts'

export interface SentHook {
  readonly url: string
  readonly secret: string
}

export interface App {
  readonly page: Page
  readonly receiver: string
  readonly caFile: string
  readonly dataFolder: string
  /** Restarts the application on the same data folder, with a new `page`. */
  restart(whileStopped?: () => void): Promise<void>
  importHook(event: string, slug: string): Promise<SentHook>
  /**
   * Runs a command on the data folder and returns its output; rejects if it doesn't exit with 0.
   */
  command(...args: readonly string[]): Promise<string>
  /** Sends a correctly signed delivery; resolves with the response's status. */
  deliver(hook: SentHook, body: string | Uint8Array, changes?: DeliveryChanges): Promise<number>
  send(
    path: string,
    body: string | Uint8Array,
    headers?: readonly (readonly [string, string])[],
    method?: string,
  ): Promise<number>
  readonly provokes: ProblemWatch['provokes']
}

export interface DeliveryChanges {
  /** Added after the signature headers. */
  readonly headers?: readonly (readonly [string, string])[]
  /** Sent instead of the signed body. */
  readonly body?: string | Uint8Array
  readonly timestamp?: string
  /** The URL to sign, if it isn't the registered one. */
  readonly url?: string
}

export interface Appearance {
  readonly appearance: HostOptions['context']
}

/** The hosts by name; only the selected one is loaded. */
const hosts: Readonly<Record<string, () => Promise<{ launchHost: LaunchHost }>>> = {
  loopback: () => import('./hosts/loopback.ts'),
  standin: () => import('./hosts/standin.ts'),
  electron: () => import('./hosts/electron.ts'),
}

async function hostLauncher(): Promise<LaunchHost> {
  const name = process.env['COUNTERSIGN_E2E_HOST'] ?? 'loopback'
  const load = hosts[name]
  if (load === undefined)
    throw new Error(
      `COUNTERSIGN_E2E_HOST is "${name}"; it may be ${Object.keys(hosts).join(', ')}.`,
    )
  return (await load()).launchHost
}

const CONNECTIONS = 16

/** The developer's handler on this computer: its requests, and what it returns from now on. */
interface Endpoint extends RawEndpoint {
  answer: number | string | null
}

export function jsonAnswer(status: number, value: unknown, headers = ''): string {
  const body = JSON.stringify(value)
  return `HTTP/1.1 ${status} Answered\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export const test = base.extend<
  { app: App; endpoint: Endpoint } & Appearance,
  { commands: Commands; server: Server }
>({
  /** The app's page at the start; a restart opens another, which only `app.page` gives. */
  page: ({ app }, provide) => provide(app.page),
  endpoint: async ({ browserName: _ }, provide) => {
    const raw = await startRawEndpoint(() => endpoint.answer)
    const endpoint: Endpoint = Object.assign(raw, { answer: 200 })
    await provide(endpoint)
    await endpoint.close()
  },
  commands: [
    async ({ browserName: _ }, provide) => {
      const commands = startCommands()
      await provide(commands)
      commands.close()
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ browserName: _ }, provide) => {
      const server = createServer()
      await provide(server)
      await server.end()
    },
    { scope: 'worker' },
  ],
  appearance: [
    { colorScheme: 'dark', viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' },
    { option: true },
  ],
  app: async ({ browser, appearance, commands, server }, provide) => {
    const launchHost = await hostLauncher()
    const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'))
    const problems = createProblemWatch()
    const start = async () => {
      const launched = await launchHost({ dataFolder, browser, context: appearance, server })
      // Keys pressed before the shell renders are lost. Once the number of deliveries is shown, the
      // rest of the state is there too.
      await problems.watch(launched.page)
      await launched.page
        .getByRole('contentinfo')
        .getByText(/^\d.* deliver(y|ies)$/)
        .or(headingIn(launched.page, 'The database is damaged'))
        .waitFor()
      return launched
    }
    let host: RunningHost = await start()
    let deliverer = createDeliverer(host.caFile, CONNECTIONS)
    const send: App['send'] = async (path, body, headers = [], method = 'POST') =>
      (await deliverer.send(host.receiver + path, { body, headers }, method)).status

    const app: App = {
      get page() {
        return host.page
      },
      get receiver() {
        return host.receiver
      },
      get caFile() {
        return host.caFile
      },
      dataFolder,
      async restart(whileStopped) {
        deliverer.close()
        await host.close()
        await server.end()
        whileStopped?.()
        host = await start()
        deliverer = createDeliverer(host.caFile, CONNECTIONS)
      },
      async importHook(event, slug) {
        const hook = { url: `${host.receiver}/h/${slug}`, secret: `secret-of-${slug}-0123456789` }
        const flags = `--event ${event} --url ${hook.url} --secret ${hook.secret} --environment sandbox-test`
        await app.command('hooks', 'import', ...flags.split(' '))
        return hook
      },
      command: (...args) => commands.run([...args, '--data', dataFolder]),
      deliver(hook, body, changes = {}) {
        const headers = signedHeaders(hook.secret, body, changes.url ?? hook.url, changes.timestamp)
        return send(hook.url.slice(host.receiver.length), changes.body ?? body, [
          ...headers,
          ...(changes.headers ?? []),
        ])
      },
      send,
      provokes: problems.provokes,
    }
    try {
      await provide(app)
      await problems.expectNoOthers()
    } finally {
      deliverer.close()
      await host.close()
      rmSync(dataFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    }
  },
})

export { expect } from '@playwright/test'

export function listOf(page: Page): Locator {
  return page.getByRole('grid', { name: /^Deliveries, (newest|oldest|sorted)/ })
}

export function rowsWith(page: Page, text: string | RegExp): Locator {
  return listOf(page).getByRole('row').filter({ hasText: text })
}

/** Finds what a held list offers once deliveries arrived: nothing is drawn above its view. */
export function newerOf(page: Page): Locator {
  return buttonIn(page, /^[\d,]+ new$/)
}

export async function openRow(
  page: Page,
  text: string | RegExp,
  tab = 'Signature',
): Promise<Locator> {
  // Beside a delivery, the list has no room for the path, which names many rows of the tests.
  const close = buttonIn(deliveryIn(page), 'Close', { exact: true })
  if (await close.isVisible()) await close.click()
  const row = rowsWith(page, text).first()
  await row.or(newerOf(page)).first().waitFor()
  if (!(await row.isVisible())) await newerOf(page).click()
  await row.click()
  const detail = deliveryIn(page)
  await tabIn(detail, tab).click()
  return detail
}
