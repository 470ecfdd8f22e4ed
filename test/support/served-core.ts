/** The starting side of `serve-core.ts`: a core in a child process, to be killed without a word. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

export interface ServedCore {
  readonly receiver: string
  readonly caFile: string
  readonly pid: number
  /** Ends the process at once, as a crash or the kernel would; resolves when it is gone. */
  kill(): Promise<void>
}

const firstLineSchema = z.object({ receiver: z.string(), caFile: z.string(), pid: z.number() })
/** Compiled modules are kept between starts: a test that starts thirty cores spends half its time on them otherwise. */
const COMPILE_CACHE = join(tmpdir(), 'countersign-compile-cache')
const SCRIPT = fileURLToPath(new URL('./serve-core.ts', import.meta.url))

/** Starts a core of the folder in a child process; rejects with what it wrote to stderr where it does not start. */
export async function serveCore(dataFolder: string): Promise<ServedCore> {
  const child = spawn(process.execPath, [SCRIPT, dataFolder], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
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
  const { receiver, caFile, pid } = firstLineSchema.parse(JSON.parse(line))
  return {
    receiver,
    caFile,
    pid,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
