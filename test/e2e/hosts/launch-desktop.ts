/** Chooses the desktop host for specs about it, and starts the app on a new folder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from '@playwright/test'
import { TEST_TIMEOUT_MS } from '../../support/long-form.ts'
import { createProblemWatch, type ProblemWatch } from '../page-problems.ts'
import type { DesktopHost, LaunchDesktop } from './desktop-host.ts'

export const hostName = process.env['COUNTERSIGN_E2E_HOST'] ?? 'loopback'
export const isDesktop = hostName === 'standin' || hostName === 'electron'

export interface Desktop extends DesktopHost {
  readonly dataFolder: string
  readonly provokes: ProblemWatch['provokes']
}

type LaunchedDesktop = DesktopHost & Pick<Desktop, 'dataFolder'>

async function launched(provide: (app: LaunchedDesktop) => Promise<void>): Promise<void> {
  const { launchHost } = (await import(`./${hostName}.ts`)) as { launchHost: LaunchDesktop }
  const dataFolder = mkdtempSync(join(tmpdir(), 'countersign-desktop-'))
  const host = await launchHost({ dataFolder, context: {} })
  try {
    await provide(Object.assign(host, { dataFolder }))
  } finally {
    await host.quit().catch(() => null)
    rmSync(dataFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** Fails a test for each problem of the page that it doesn't expect. */
async function watched(
  app: LaunchedDesktop,
  provide: (desktop: Desktop) => Promise<void>,
): Promise<void> {
  const problems = createProblemWatch()
  await problems.watch(app.page)
  await provide({ ...app, provokes: problems.provokes })
  await problems.expectNoOthers()
}

export const desktopTest = base.extend<{ desktop: Desktop }>({
  desktop: ({ viewport: _ }, provide) => launched((app) => watched(app, provide)),
})

/**
 * The tests of a file share one app, each on a fresh page. After a failure, the next test gets a
 * new app.
 */
export const sharedDesktopTest = base.extend<{ desktop: Desktop }, { app: LaunchedDesktop }>({
  app: [
    ({ browserName: _ }, provide) => launched(provide),
    { scope: 'worker', timeout: TEST_TIMEOUT_MS },
  ],
  async desktop({ app }, provide) {
    await app.page.goto(app.home)
    await watched(app, provide)
  },
})
