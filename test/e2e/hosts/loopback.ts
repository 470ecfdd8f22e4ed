/** The app in a browser: `countersign serve`, opened once in a new context. */
import type { LaunchHost } from './host.ts'

interface ServeLine {
  readonly ui: string
  readonly receiver: string
  readonly ca: string
}

export const launchHost: LaunchHost = async ({
  dataFolder,
  browser,
  context: contextOptions,
  server,
}) => {
  const ports = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']
  const { line, stop } = await server.serve([
    'serve',
    '--json',
    '--no-open',
    '--data',
    dataFolder,
    ...ports,
  ])
  const { ui, receiver, ca } = JSON.parse(line) as ServeLine
  const context = await browser.newContext(contextOptions)
  const page = await context.newPage()
  await page.goto(ui)
  return {
    page,
    receiver,
    caFile: ca,
    async close() {
      await context.close()
      await stop()
    },
  }
}
