/**
 * Memory of the core while it receives a million deliveries: the built application starts empty,
 * receives at the full speed of 16 connections, and fills its index behind. `COUNT` changes the
 * number; 0 skips this part. Also the memory left after large bodies: one process per load,
 * measured 10 s after its start and 10 s after the load.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildIfStale } from '../../scripts/build.mjs'
import type { Cell, RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { distinctMembers, manyMembers, sendBodies, stallBodies } from '../support/large-bodies.ts'
import type { RawConnection } from '../support/raw-http.ts'
import type { LoadResult } from './ingest/load.ts'
import { residentOf, runClient } from './scale/processes.ts'
import { CLI, startServe } from './scale/starting.ts'

export const name = 'memory'

const COUNT = Number(process.env['COUNT'] ?? 1_000_000)
const BAR_MIB = 200
const ROUND_SECONDS = 20
/** Seconds to measure after the last delivery, while the index fills. */
const AFTER_SECONDS = 60
const SECRET = 'secret of the memory bench'

/** Wait between a load, or the start, and the next measurement. */
const SETTLE_MS = 10_000
const GROWTH_BAR_MIB = 64

interface Served {
  readonly folder: string
  readonly receiver: string
  readonly caFile: string
  readonly pid: number
}

/** Serves an empty data folder in a separate process during `work`. */
async function whileServing<T>(work: (served: Served) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-memory-'))
  const { receiver, ca, pid, stop } = await startServe(folder)
  try {
    return await work({ folder, receiver, caFile: ca, pid })
  } finally {
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type Load = (served: Served) => Promise<readonly RawConnection[]>

const LOADS: readonly (readonly [name: string, load: Load])[] = [
  [
    '500,000 members, 5 times',
    (served) =>
      sendOnly(
        served,
        Array.from({ length: 5 }, () => manyMembers(500_000)),
      ),
  ],
  [
    '9.4 MB of keys not seen before, 20 times',
    (served) => sendOnly(served, distinctBodies(20, 9_400_000)),
  ],
  [
    '9.9 MB in one string, 20 times',
    (served) =>
      sendOnly(
        served,
        Array.from({ length: 20 }, () => `{"text":"${'a b'.repeat(3_300_000)}"}`),
      ),
  ],
  ['40 bodies of 10 MiB that stall', (served) => stallBodies(served, 40, 10 * 1_048_576)],
]

function* distinctBodies(count: number, bytes: number): Generator<string> {
  for (let seed = 0; seed < count; seed++) yield distinctMembers(bytes, seed)
}

async function sendOnly(
  served: Served,
  bodies: Iterable<string>,
): Promise<readonly RawConnection[]> {
  await sendBodies(served, bodies)
  return []
}

/** Measures the memory used after a load; for stalled connections also after they are closed. */
async function measureLoad(
  load: Load,
): Promise<{ most: number; after: number; gone: number | null }> {
  return whileServing(async (served) => {
    await delay(SETTLE_MS)
    const base = residentOf(served.pid)
    let most = base
    const watcher = setInterval(() => {
      most = Math.max(most, residentOf(served.pid))
    }, 100)
    try {
      const open = await load(served)
      await delay(SETTLE_MS)
      const after = residentOf(served.pid) - base
      if (open.length === 0) return { most: most - base, after, gone: null }
      for (const { socket } of open) socket.destroy()
      await delay(SETTLE_MS)
      return { most: most - base, after, gone: residentOf(served.pid) - base }
    } finally {
      clearInterval(watcher)
    }
  })
}

async function largeBodies(progress: RunOptions['progress']): Promise<Table> {
  const rows: (readonly Cell[])[] = []
  for (const [what, load] of LOADS) {
    const { most, after, gone } = await measureLoad(load)
    progress(`${what}: + ${Math.round(after)} MiB`)
    rows.push([what, most, after, GROWTH_BAR_MIB])
    if (gone !== null) rows.push(['… 10 s after they are gone', '', gone, GROWTH_BAR_MIB])
  }
  return {
    title: 'Memory that large bodies leave behind',
    columns: ['load', 'most (MiB)', '10 s after (MiB)', 'bar (MiB)'],
    rows,
    notes: ['More RSS than 10 s after the start.'],
  }
}

export async function run({ progress }: RunOptions): Promise<Table[]> {
  await buildIfStale()
  const large = await largeBodies(progress)
  return COUNT === 0 ? [large] : [large, await whileServing((served) => million(served, progress))]
}

async function million(
  { folder, receiver, caFile, pid }: Served,
  progress: RunOptions['progress'],
): Promise<Table> {
  const url = `${receiver}/h/memory`
  const flags = [
    '--event',
    'transaction.auth',
    '--url',
    url,
    '--secret',
    SECRET,
    '--environment',
    'sandbox-test',
  ]
  execFileSync(process.execPath, [CLI, 'hooks', 'import', ...flags, '--data', folder])
  const idle = residentOf(pid)
  const options = {
    port: Number(new URL(receiver).port),
    caFile,
    path: '/h/memory',
    url,
    secret: SECRET,
    connections: 16,
    seconds: ROUND_SECONDS,
    warmUp: 0,
  }
  const samples: number[] = []
  let through = 0
  let most = idle
  while (through < COUNT) {
    through += Math.round(
      (await runClient<LoadResult>('../ingest/load.ts', options)).perSecond * ROUND_SECONDS,
    )
    samples.push(residentOf(pid))
    most = Math.max(most, samples.at(-1) ?? 0)
    progress(`${through.toLocaleString('en')} through, ${Math.round(samples.at(-1) ?? 0)} MiB`)
  }
  progress('the index is filled')
  for (let second = 0; second < AFTER_SECONDS; second++) {
    await delay(1_000)
    most = Math.max(most, residentOf(pid))
  }
  const at = (share: number) =>
    samples[Math.min(samples.length - 1, Math.floor(samples.length * share))] ?? Number.NaN
  return {
    title: `Memory of the core while ${through.toLocaleString('en')} deliveries went through`,
    columns: ['when', 'RSS (MiB)', 'bar (MiB)'],
    rows: [
      ['before the first', idle, BAR_MIB],
      ['at a quarter', at(0.25), BAR_MIB],
      ['at half', at(0.5), BAR_MIB],
      ['at three quarters', at(0.75), BAR_MIB],
      ['at the end of the load', at(1), BAR_MIB],
      [`${AFTER_SECONDS} s later`, residentOf(pid), BAR_MIB],
      ['most of all', most, BAR_MIB],
    ],
    notes: [
      "RSS of the whole process: receiver, sandbox, the window's host, and the threads that write, read and search.",
    ],
  }
}
