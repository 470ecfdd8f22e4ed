/** The processes of a measurement: a core, the client that sends to it, and the memory that they use. */
import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { ServedLine } from './server.ts'

export interface ScaleServer extends ServedLine {
  tell(wish: 'search' | 'rest'): void
  memory(): Promise<{ rss: number; left: number; searches: number }>
  stop(): Promise<void>
}

function runFile(
  file: string,
  args: readonly string[],
): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

export async function startScaleServer(folder: string): Promise<ScaleServer> {
  const child = runFile('./server.ts', [folder])
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async <Line>() => JSON.parse((await lines.next()).value as string) as Line
  const listening = await line<ServedLine>()
  return {
    ...listening,
    tell(wish) {
      child.stdin.write(`${wish}\n`)
    },
    memory() {
      child.stdin.write('memory\n')
      return line()
    },
    async stop() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** Runs a client until it exits; `file` is relative to this one. */
export async function runClient<Result>(file: string, options: object): Promise<Result> {
  const client = runFile(file, [])
  client.stdin.end(JSON.stringify(options))
  return JSON.parse(await text(client.stdout)) as Result
}

/** Resident memory of a process, in MiB. */
export function residentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
}
