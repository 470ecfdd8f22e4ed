/** The desktop app's built bundles, with the stand-in for `electron` over Chromium. */
import { fileURLToPath } from 'node:url'
import { runStandin } from '../../standin/run.ts'
import type { WindowState } from '../../standin/state.ts'
import {
  applyAppearance,
  desktopArguments,
  type LaunchDesktop,
  readInstanceFile,
} from './desktop-host.ts'

const main = fileURLToPath(new URL('../../../out/main/index.js', import.meta.url))

export const launchHost: LaunchDesktop = async ({ dataFolder, context }) => {
  const run = await runStandin(main, desktopArguments(dataFolder))
  await applyAppearance(run, context)
  const { receiver, ca, pid } = await readInstanceFile(dataFolder)
  return {
    page: run.page,
    receiver,
    caFile: ca,
    home: 'https://countersign.app.test/',
    pid,
    openedOutside: () =>
      Promise.resolve(
        run.reports.filter(({ kind }) => kind === 'openExternal').map(({ url }) => String(url)),
      ),
    windowCount: async () => (await run.ask<WindowState[]>('windows')).length,
    quit: () => run.close(),
    standin: run,
    async close() {
      const code = await run.close()
      if (code !== 0) throw new Error(`The desktop app ended with ${code}:\n${run.output()}`)
    },
  }
}
