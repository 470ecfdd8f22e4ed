/** Measures how long the built application takes to start, with an empty and a full data folder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Table } from '../../../scripts/lib/measurement.ts'

const ROUNDS = 7
const BAR = 1.25
export const CLI = fileURLToPath(new URL('../../../out/node/cli.js', import.meta.url))

interface Serving {
  readonly ui: string
  readonly receiver: string
  readonly ca: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts `serve`; resolves with the line that it prints once it listens. */
export async function startServe(folder: string): Promise<Serving> {
  const ports = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']
  const child = spawn(
    process.execPath,
    [CLI, 'serve', '--json', '--no-open', '--data', folder, ...ports],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const ended = once(child, 'exit')
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended,
  ])) as [string | number | null]
  if (typeof line !== 'string') throw new Error(`serve ended with ${line} before it listened.`)
  return {
    ...(JSON.parse(line) as Omit<Serving, 'stop'>),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Measures from the start of the process to the line with its URLs. */
export async function timeStart(folder: string): Promise<number> {
  const from = performance.now()
  const { stop } = await startServe(folder)
  const took = performance.now() - from
  await stop()
  return took
}

export async function measureStarting(
  folder: string,
  progress: (message: string) => void,
): Promise<Table> {
  const empty = await mkdtemp(join(tmpdir(), 'countersign-empty-'))
  try {
    // The first start of each creates certificates and reads files from the disk, so it isn't
    // counted.
    await timeStart(empty)
    await timeStart(folder)
    const times: { empty: number[]; full: number[] } = { empty: [], full: [] }
    for (let round = 1; round <= ROUNDS; round++) {
      progress(`start: round ${round} of ${ROUNDS}`)
      times.empty.push(await timeStart(empty))
      times.full.push(await timeStart(folder))
    }
    return {
      title: `Start of the built application, median of ${ROUNDS}, in turns`,
      columns: ['what is stored', 'until it listens (ms)', 'ratio', 'bar'],
      rows: [
        ['nothing', times.empty, '', ''],
        [
          'a million deliveries',
          times.full,
          times.full.map((time, round) => time / times.empty[round]!),
          BAR,
        ],
      ],
    }
  } finally {
    await rm(empty, { recursive: true, force: true })
  }
}
