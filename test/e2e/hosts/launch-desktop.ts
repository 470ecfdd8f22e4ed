/** Chooses the desktop host for specs about it, and starts the app on a new folder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from '@playwright/test'
import { createProblemWatch, type ProblemWatch } from '../page-problems.ts'
import type { DesktopHost, LaunchDesktop } from './desktop-host.ts'

export const hostName = process.env['COUNTERSIGN_E2E_HOST'] ?? 'loopback'
export const isDesktop = hostName === 'standin' || hostName === 'electron'

export interface Desktop extends DesktopHost {
  readonly dataFolder: string
  /** Expects a console error, policy violation or failed request that this test causes. Any other one fails the test. */
  readonly provokes: ProblemWatch['provokes']
}

export const desktopTest = base.extend<{ desktop: Desktop }>({
  desktop: async ({ viewport: _ }, provide) => {
    const { launchHost } = (await import(`./${hostName}.ts`)) as { launchHost: LaunchDesktop }
    const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-desktop-'))
    const host = await launchHost({ dataFolder, context: {} })
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
