/** The built `serve` on a data folder, in a process that can be killed without warning. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { builtCli } from './built-cli.ts'

export interface ServedCore {
  readonly receiver: string
  readonly caFile: string
  readonly pid: number
  kill(): Promise<void>
}

const firstLineSchema = z.object({ receiver: z.string(), ca: z.string(), pid: z.number() })

/** Resolves with the test run's build, or one in the data folder, the same for every start. */
async function buildFor(dataFolder: string): Promise<string> {
  const copy = join(dataFolder, '.build')
  return existsSync(copy) ? join(copy, 'out', 'node') : builtCli(copy)
}

/** Starts a core on a folder in a child process; rejects with its stderr if it doesn't start. */
export async function serveCore(dataFolder: string): Promise<ServedCore> {
  const ports = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']
  const cli = join(await buildFor(dataFolder), 'cli.js')
  const child = spawn(process.execPath, [cli, 'serve', '--json', '--data', dataFolder, ...ports], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // As if npm had started it: then it exits with its parent.
    env: { ...process.env, COUNTERSIGN_VAULT: 'file', npm_command: 'test' },
  })
  let problems = ''
  child.stderr.on('data', (chunk: Buffer) => (problems += chunk.toString()))
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const line = await Promise.race([
    once(lines, 'line').then(([text]) => String(text)),
    exited.then(() => {
      throw new Error(`The core did not start: ${problems}`)
    }),
  ])
  const { receiver, ca, pid } = firstLineSchema.parse(JSON.parse(line))
  return {
    receiver,
    caFile: ca,
    pid,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
