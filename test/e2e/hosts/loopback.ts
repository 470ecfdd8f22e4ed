/** The app in a browser: `countersign serve` as a process of its own, and its address opened once in a fresh context. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { LaunchHost } from './host.ts'

const cli = fileURLToPath(new URL('../../../out/node/cli.js', import.meta.url))
const LONGEST_START_MS = 120_000

interface ServeLine {
  readonly ui: string
  readonly receiver: string
  readonly ca: string
}

export const launchHost: LaunchHost = async ({ dataFolder, browser, context: contextOptions }) => {
  const ports = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']
  const child = spawn(process.execPath, [cli, 'serve', '--json', '--no-open', '--data', dataFolder, ...ports], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const complaints: string[] = []
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString()))
  const ended = once(child, 'exit')

  const line = await firstLine(child.stdout, ended)
  if (line === null) {
    child.kill()
    throw new Error(`\`serve\` did not start: ${complaints.join('')}`)
  }
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
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The first line that `serve` prints; null where it ends, or takes too long, before that. */
async function firstLine(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string | null> {
  const lines = createInterface({ input: output })
  const late = new Promise<null>((resolve) => {
    setTimeout(() => {
      resolve(null)
    }, LONGEST_START_MS).unref()
  })
  return Promise.race([once(lines, 'line').then(([line]) => String(line)), ended.then(() => null), late])
}
