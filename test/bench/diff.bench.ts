/**
 * The structural difference of two one-megabyte bodies, in a worker like the window's: rows
 * changed, moved, added and removed.
 */
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'

export const name = 'diff'

const ROUNDS = 5
const BAR_MS = 500

interface Measured {
  readonly structure: number
  readonly processor: number
  readonly text: number
  readonly changes: number
}

/** Returns a row as in real payloads: IDs, amounts, nested objects. */
function item(number: number) {
  const location = {
    id: `location-${number % 97}`,
    city: 'Town',
    geolocation: { latitude: 51.5 + number / 1e5, longitude: -0.1 },
  }
  return {
    id: `transaction-${number}`,
    amount: number * 1.25,
    currency: 'GBP',
    note: `Coffee ${number}`,
    location,
    tags: ['a', number],
  }
}

/**
 * Makes two texts of about a megabyte: a tenth of the rows changed, five hundred of them moved to
 * the end.
 */
function makeBodies(): { left: string; right: string } {
  const rows = Array.from({ length: 5_800 }, (_, number) => item(number))
  const changed = rows.map((row, index) =>
    index % 10 === 0 ? { ...row, amount: row.amount + 1 } : row,
  )
  return {
    left: JSON.stringify(rows),
    right: JSON.stringify([...changed.slice(500), ...changed.slice(0, 500)]),
  }
}

/** Makes two arrays without common rows: the worst case of many algorithms. */
function makeDifferent(): { left: string; right: string } {
  const rows = (from: number) =>
    Array.from({ length: 20_000 }, (_, number) => `${from + number} ${'x'.repeat(40)}`)
  return { left: JSON.stringify(rows(0)), right: JSON.stringify(rows(1_000_000)) }
}

async function measure(bodies: { left: string; right: string }): Promise<Measured> {
  const worker = new Worker(new URL('./diff/worker.ts', import.meta.url), { workerData: bodies })
  const [measured] = (await once(worker, 'message')) as [Measured]
  await worker.terminate()
  return measured
}

export async function run({ progress }: RunOptions): Promise<Table[]> {
  const cases = [
    { title: '1 in 10 changed, 500 moved', bodies: makeBodies() },
    { title: '20,000 items, none alike', bodies: makeDifferent() },
  ]
  const rows: Table['rows'][number][] = []
  for (const { title, bodies } of cases) {
    const rounds: Measured[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      progress(`${title}: round ${round} of ${ROUNDS}`)
      rounds.push(await measure(bodies))
    }
    const size = bodies.left.length / 1_000_000
    rows.push([
      title,
      size,
      rounds.map(({ structure }) => structure),
      rounds.map(({ processor }) => processor),
      BAR_MS,
      rounds.map(({ text }) => text),
      rounds[0]?.changes ?? 0,
    ])
  }
  return [
    {
      title: `Difference of two bodies, in a worker that has just started, median of ${ROUNDS}`,
      columns: [
        'bodies',
        'size (MB)',
        'structure (ms)',
        'of it processor (ms)',
        'bar',
        'lines (ms)',
        'differences',
      ],
      rows,
      notes: [
        'Reading both texts is part of it; each round starts a worker anew, so nothing has been compiled or warmed up.',
      ],
    },
  ]
}
