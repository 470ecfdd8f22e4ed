/**
 * The processes of a measurement: a core, the client that sends to it, and the memory that they
 * use.
 */
import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { ALLOCATOR_VARIABLES, HEAP_GROWTH_FLAG } from '../../../src/cli/memory-tuning.ts'
import type { ServedLine } from './server.ts'

export interface ScaleServer extends ServedLine {
  tell(wish: 'search' | 'rest'): void
  memory(): Promise<{ left: number; searches: number }>
  stop(): Promise<void>
}

function runFile(
  file: string,
  args: readonly string[],
  lean = false,
): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(
    process.execPath,
    [...(lean ? [HEAP_GROWTH_FLAG] : []), fileURLToPath(new URL(file, import.meta.url)), ...args],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...(lean ? ALLOCATOR_VARIABLES : {}) },
    },
  )
}

/**
 * Starts a server whose first line is JSON and that exits when its stdin closes; `file` is relative
 * to this one. `lean`: with the memory settings of `serve`.
 */
export async function startServer<First>(file: string, args: readonly string[] = [], lean = false) {
  const child = runFile(file, args, lean)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async <Line>() => JSON.parse((await lines.next()).value as string) as Line
  return {
    first: await line<First>(),
    line,
    tell: (wish: string) => void child.stdin.write(`${wish}\n`),
    async stop() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

export async function startScaleServer(folder: string): Promise<ScaleServer> {
  const { first, line, tell, stop } = await startServer<ServedLine>('./server.ts', [folder])
  return {
    ...first,
    tell,
    memory() {
      tell('memory')
      return line()
    },
    stop,
  }
}

/** Runs a client until it exits; `file` is relative to this one. */
export async function runClient<Result>(file: string, options: object): Promise<Result> {
  const client = runFile(file, [])
  client.stdin.end(JSON.stringify(options))
  return JSON.parse(await text(client.stdout)) as Result
}

/** Returns the resident memory of a process, in MiB. */
export function residentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
}
