/**
 * How long the command line takes to start: `--help` and `verify` from the built file and through `bin/countersign.mjs` of an
 * up-to-date checkout, compared with an empty Node process, and `serve` until its first line on an existing data folder. All
 * alternating.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from '../../scripts/build.mjs'
import { median, type RunOptions, type Table } from '../../scripts/lib/measurement.ts'
import { CLI, timeStart } from './scale/starting.ts'

export const name = 'start'

const ROUNDS = 20
const MOST_SERVE_MS = 1_000
const root = fileURLToPath(new URL('../../', import.meta.url))
const bin = join(root, 'bin/countersign.mjs')
const verify = [
  'verify',
  '--secret',
  's',
  '--url',
  'https://example.com/',
  '--timestamp',
  '1763800000000',
  '--signature',
  'x',
]

/** Milliseconds from the start of a Node process to its end. */
async function timeToEnd(args: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit')
  return performance.now() - startedAt
}

export async function run({ progress }: RunOptions): Promise<readonly Table[]> {
  await buildIfStale()
  const data = await mkdtemp(join(tmpdir(), 'countersign-bench-start-'))
  const starts = [
    { label: 'node -e 0', most: Number.NaN, time: () => timeToEnd(['-e', '0']) },
    { label: '--help, built file', most: 3.5, time: () => timeToEnd([CLI, '--help']) },
    { label: 'verify, built file', most: 3.5, time: () => timeToEnd([CLI, ...verify]) },
    { label: '--help, bin in a checkout', most: 5, time: () => timeToEnd([bin, '--help']) },
    { label: 'verify, bin in a checkout', most: 5, time: () => timeToEnd([bin, ...verify]) },
  ].map((start) => ({ ...start, ms: [] as number[] }))
  const serving: number[] = []
  try {
    // The first start creates the folder, and compiles.
    for (const { time } of starts) await time()
    await timeStart(data)
    for (let round = 1; round <= ROUNDS; round++) {
      progress(`start: round ${round} of ${ROUNDS}`)
      for (const { ms, time } of starts) ms.push(await time())
      serving.push(await timeStart(data))
    }
  } finally {
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
  const empty = median(starts[0]!.ms)
  const isMet = starts.every(({ ms, most }) => Number.isNaN(most) || median(ms) / empty <= most)
  return [
    {
      title: 'Starting the command line',
      columns: ['command', 'median (ms)', 'times node -e 0', 'bar'],
      rows: [
        ...starts.map(({ label, ms, most }) => [
          label,
          ms,
          median(ms) / empty,
          Number.isNaN(most) ? '–' : `≤ ${most}`,
        ]),
        ['serve, to its first line', serving, median(serving) / empty, `≤ ${MOST_SERVE_MS} ms`],
      ],
      notes: [
        `Node ${process.version}, ${ROUNDS} rounds in turns. The bars are ${isMet && median(serving) <= MOST_SERVE_MS ? '' : 'not '}met.`,
      ],
    },
  ]
}
