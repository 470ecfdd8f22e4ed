/**
 * Time from the acknowledgement of an invalid delivery to its stored cause, on a core with the
 * built threads.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Table } from '../../scripts/lib/measurement.ts'
import { buildIfStale } from '../../scripts/build.mjs'
import { SHARED_BUILD } from '../support/built-cli.ts'
import { until } from '../support/until.ts'

const HOOK_COUNTS = [1, 11, 40]
const ROUNDS = 5
const LATER = 10
const BAR_MS = { first: 300, later: 100, processor: 150 }

interface Times {
  readonly first: number
  readonly later: readonly number[]
  /** Milliseconds of processor time for each later delivery, sender and receiver included. */
  readonly processor: readonly number[]
}

/**
 * Starts a core with hooks at one URL, and sends it deliveries whose secret was read with its
 * quotes.
 */
async function measureOnce(hookCount: number): Promise<Times> {
  const { startTestCore } = await import('../support/test-core.ts')
  const dataFolder = await mkdtemp(join(tmpdir(), 'countersign-diagnosis-'))
  const core = await startTestCore({ dataFolder })
  try {
    const url = `${core.receiver}/webhooks/cards`
    for (let index = 0; index < hookCount; index++)
      await core.hook('/webhooks/cards', `whsec_of_${index}_0123456789`)
    const signer = { url, secret: `"whsec_of_${hookCount - 1}_0123456789"` }
    const times: number[] = []
    const processor: number[] = []
    for (let count = 0; count <= LATER; count++) {
      const used = process.cpuUsage()
      await core.deliver(signer, JSON.stringify({ amount: 12.5, count, text: 'x'.repeat(1_000) }))
      const acknowledgedAt = performance.now()
      await until(core.client, 'deliveries.changed', core.latest, ({ cause }) => cause !== null)
      times.push(performance.now() - acknowledgedAt)
      const { user, system } = process.cpuUsage(used)
      processor.push((user + system) / 1_000)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const [first = Number.NaN, ...later] = times
    return { first, later, processor: processor.slice(1) }
  } finally {
    await core.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
}

/** Measures with 1, 11 and 40 hooks at one URL. */
export async function measureStoredCauses(progress: (message: string) => void): Promise<Table> {
  await buildIfStale({ targets: ['node'] })
  process.env[SHARED_BUILD] = new URL('../../out/node/', import.meta.url).href
  const rows: (string | number | number[])[][] = []
  for (const hookCount of HOOK_COUNTS) {
    const runs: Times[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      progress(`stored causes, ${hookCount} hooks: round ${round} of ${ROUNDS}`)
      runs.push(await measureOnce(hookCount))
    }
    rows.push([
      hookCount,
      runs.map(({ first }) => first),
      BAR_MS.first,
      runs.flatMap(({ later }) => later),
      BAR_MS.later,
      runs.flatMap(({ processor }) => processor),
      BAR_MS.processor,
    ])
  }
  return {
    title: `From the acknowledgement to the stored cause: ${ROUNDS} starts, ${LATER} later deliveries each`,
    columns: [
      'hooks at the URL',
      'first (ms)',
      'bar (ms)',
      'later (ms)',
      'bar (ms)',
      'processor, later (ms)',
      'bar (ms)',
    ],
    rows,
  }
}
