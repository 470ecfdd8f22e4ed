import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { _electron as electron } from '@playwright/test'
import { findElectron } from '../../../scripts/lib/electron-binary.ts'
import {
  applyAppearance,
  desktopArguments,
  type DesktopHost,
  type LaunchDesktop,
  readInstanceFile,
} from './desktop-host.ts'
import type { ElectronApplication } from '@playwright/test'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A host whose main process tests can inspect, unlike the others. */
export interface ElectronHost extends DesktopHost {
  readonly electronApp: ElectronApplication
}

async function replaceOpenExternal(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ shell }) => {
    const opened: string[] = []
    Object.assign(globalThis, { openedOutside: opened })
    shell.openExternal = (url) => {
      opened.push(url)
      return Promise.resolve()
    }
  })
}

export const launchHost: LaunchDesktop = async ({ dataFolder, context }): Promise<ElectronHost> => {
  const executablePath = findElectron()
  if (executablePath === null)
    throw new Error('There is no Electron binary on this machine: npx install-electron fetches it.')
  const app = await electron.launch({
    executablePath,
    args: [root, ...desktopArguments(dataFolder)],
    // Chromium has no sandbox as root; otherwise tests use the same one as users.
    chromiumSandbox: process.getuid?.() !== 0,
  })
  await replaceOpenExternal(app)
  const page = await app.firstWindow()
  await page.waitForLoadState()
  await applyAppearance({ page }, context)
  const { receiver, ca, pid } = await readInstanceFile(dataFolder)
  const quit = async () => {
    const ended = once(app.process(), 'exit')
    await app.close()
    await ended
    return app.process().exitCode
  }
  return {
    electronApp: app,
    page,
    receiver,
    caFile: ca,
    home: 'app://countersign/',
    pid,
    openedOutside: () =>
      app.evaluate(
        () => (globalThis as typeof globalThis & { openedOutside: string[] }).openedOutside,
      ),
    windowCount: () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length),
    quit,
    standin: null,
    async close() {
      await quit()
    },
  }
}
