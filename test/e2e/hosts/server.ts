/**
 * `countersign serve` for the tests of one worker: one process for all of them, since a fresh
 * process takes three times as long. A test that restarts the app gets a new process.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR_VARIABLES, HEAP_GROWTH_FLAG } from '../../../src/cli/memory-tuning.ts'

const runner = fileURLToPath(new URL('../../support/serve-runner.ts', import.meta.url))

export type ServeRequest =
  | { readonly serve: readonly string[]; readonly env: NodeJS.ProcessEnv }
  | { readonly stop: true }

/** The first line that `serve` prints; after it exits, its exit code and error output. */
export type ServeReport =
  | { readonly line: string }
  | { readonly code: number; readonly stderr: string }

export interface Server {
  /**
   * Runs `serve`; resolves with its first line and a function that stops it. Rejects if it doesn't
   * start.
   */
  serve(args: readonly string[]): Promise<{ readonly line: string; stop(): Promise<void> }>
  /** Ends the process; the next `serve` starts a new one. */
  end(): Promise<void>
}

interface Runner {
  tell(request: ServeRequest): void
  next(): Promise<ServeReport>
  end(): Promise<void>
}

function startRunner(): Runner {
  // With the memory settings that `serve` uses.
  const child: ChildProcess = fork(runner, {
    execArgv: [HEAP_GROWTH_FLAG],
    env: { ...process.env, ...ALLOCATOR_VARIABLES },
  })
  const reports: ServeReport[] = []
  let wake = () => {}
  const add = (report: ServeReport) => {
    reports.push(report)
    wake()
  }
  child.on('message', add)
  child.once('exit', (code) => {
    add({ code: code ?? -1, stderr: 'The process of the server has ended.' })
  })
  return {
    tell: (request) => void child.send(request),
    async next() {
      for (;;) {
        const report = reports.shift()
        if (report !== undefined) return report
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

export function createServer(): Server {
  let running: Runner | null = null
  const end = async () => {
    await running?.end()
    running = null
  }
  return {
    async serve(args) {
      running ??= startRunner()
      const { tell, next } = running
      tell({ serve: args, env: process.env })
      const first = await next()
      if (!('line' in first)) {
        await end()
        throw new Error(`\`serve\` did not start: ${first.stderr}`)
      }
      return {
        line: first.line,
        async stop() {
          tell({ stop: true })
          const last = await next()
          if ('code' in last && last.code === 0) return
          await end()
          throw new Error(`\`serve\` did not end in order: ${JSON.stringify(last)}`)
        },
      }
    },
    end,
  }
}
