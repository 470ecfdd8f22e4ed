/** Chooses the desktop host for specs about it, and starts the app on a new folder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, type Page } from '@playwright/test'
import type { BRIDGE } from '../../../src/shared/rpc/transport.ts'
import type { Bridge } from '../../../src/renderer/host/choose-host.ts'
import { createProblemWatch, type ProblemWatch } from '../page-problems.ts'
import type { DesktopHost, LaunchDesktop } from './desktop-host.ts'

declare global {
  interface Window {
    readonly [BRIDGE]: Bridge
  }
}

export const hostName = process.env['COUNTERSIGN_E2E_HOST'] ?? 'loopback'
export const isDesktop = hostName === 'standin' || hostName === 'electron'

export interface Desktop extends DesktopHost {
  readonly dataFolder: string
  /** Expects a console error, policy violation or failed request that this test causes. Any other one fails the test. */
  readonly provokes: ProblemWatch['provokes']
}

export const desktopTest = base.extend<{ desktop: Desktop }>({
  desktop: async ({ browser }, provide) => {
    const { launchHost } = (await import(`./${hostName}.ts`)) as { launchHost: LaunchDesktop }
    const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-desktop-'))
    const host = await launchHost({ dataFolder, browser, context: {} })
    const problems = createProblemWatch()
    try {
      await problems.watch(host.page)
      await provide(Object.assign(host, { dataFolder, provokes: problems.provokes }))
      await problems.expectNoOthers()
    } finally {
      await host.quit().catch(() => null)
      rmSync(dataFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    }
  },
})

/** The core's response to a command that the page sends itself; null if none arrives within `ms`. */
export function askCore(
  page: Page,
  command: string,
  input: object,
  ms = 60_000,
): Promise<{ ok: boolean; output?: unknown } | null> {
  return page.evaluate(
    ({ asked, given, limit }) =>
      new Promise<{ ok: boolean } | null>((resolve) => {
        // Far from the IDs that the interface counts up from 1.
        const id = 1_000_000 + Math.floor(performance.now() * 1_000)
        const stop = window.countersign.onMessage((text) => {
          const message = JSON.parse(text) as { id?: number; ok: boolean }
          if (message.id !== id) return
          stop()
          resolve(message)
        })
        window.countersign.send(JSON.stringify({ kind: 'request', id, command: asked, input: given }))
        setTimeout(() => {
          stop()
          resolve(null)
        }, limit)
      }),
    { asked: command, given: input, limit: ms },
  )
}
