/**
 * Ingest: verified, stored with `synchronous=FULL` and acknowledged, compared with a bare Node
 * HTTPS server and with mockttp, which records in memory. Each runs in its own process, with the
 * same client, 16 keep-alive connections and 1.1 kB bodies, in one run with several alternating
 * rounds, so that a slow moment of the computer affects all of them.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { countMatches } from '../support/read-deliveries.ts'
import { startTestCore } from '../support/test-core.ts'
import type { LoadOptions, LoadResult } from './ingest/load.ts'
import type { Listening } from './ingest/server.ts'
import { runClient, startServer } from './scale/processes.ts'

export const name = 'ingest'

const ROUNDS = 3
const CONNECTIONS = 16
const SECONDS = 5
const WARM_UP = 1.5

const KINDS = ['bare', 'mockttp', 'countersign'] as const
type Kind = (typeof KINDS)[number]

const SECRET = `whsec_${randomBytes(24).toString('base64url')}`

async function measure(kind: Kind, folder: string, url: string): Promise<LoadResult> {
  const { first, stop } = await startServer<Listening>(
    '../ingest/server.ts',
    [kind, folder],
    kind === 'countersign',
  )
  try {
    return await runClient<LoadResult>('../ingest/load.ts', {
      ...first,
      path: new URL(url).pathname,
      url,
      secret: SECRET,
      connections: CONNECTIONS,
      seconds: SECONDS,
      warmUp: WARM_UP,
    } satisfies LoadOptions)
  } finally {
    await stop()
  }
}

/** Creates a data folder with one hook that verifies the client's signatures. */
async function prepare(folder: string): Promise<string> {
  const core = await startTestCore({ dataFolder: folder })
  const url = `${core.receiver}/h/bench`
  await core.client.call('hooks.import', { event: 'transaction.auth', url, secret: SECRET })
  await core.stop()
  return url
}

/** Counts acknowledged deliveries that were verified, to show that the work was done. */
async function countValid(folder: string): Promise<{ stored: number; valid: number }> {
  const core = await startTestCore({ dataFolder: folder })
  const [stored, valid] = [
    await countMatches(core.client, ''),
    await countMatches(core.client, 'is:valid'),
  ]
  await core.stop()
  return { stored, valid }
}

export async function run({ progress }: RunOptions): Promise<Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  try {
    const url = await prepare(folder)
    const results: Record<Kind, LoadResult[]> = { bare: [], mockttp: [], countersign: [] }
    for (let round = 1; round <= ROUNDS; round++) {
      for (const kind of KINDS) {
        progress(`round ${round} of ${ROUNDS}: ${kind}`)
        results[kind].push(await measure(kind, folder, url))
      }
    }
    const { stored, valid } = await countValid(folder)
    const rate = (kind: Kind) => results[kind].map(({ perSecond }) => perSecond)
    const ratios = (other: Kind) =>
      results.countersign.map(
        ({ perSecond }, round) => perSecond / (results[other][round]?.perSecond ?? Number.NaN),
      )
    const row = (kind: Kind, label: string) => [
      label,
      rate(kind),
      results[kind].map(({ p50 }) => p50),
      results[kind].map(({ p99 }) => p99),
      results[kind].map(({ refused }) => refused),
    ]
    return [
      {
        title: `Ingest: ${CONNECTIONS} keep-alive connections, 1.1 kB bodies, median of ${ROUNDS} rounds of ${SECONDS} s`,
        columns: ['server', 'acknowledged (1/s)', 'p50 (ms)', 'p99 (ms)', 'not 200'],
        rows: [
          row('bare', 'bare Node HTTPS: reads, answers'),
          row('mockttp', 'mockttp: records in memory'),
          row('countersign', 'Countersign: verifies, stores durably'),
        ],
        notes: [`${stored} deliveries stored, ${valid} of them proved.`],
      },
      {
        title: 'Ingest against the bars',
        columns: ['ratio', 'measured', 'bar', 'goal'],
        rows: [
          ['Countersign / mockttp', ratios('mockttp'), 1.1, 1.4],
          ['Countersign / bare', ratios('bare'), 0.27, 0.35],
          ['p99 of Countersign (ms)', results.countersign.map(({ p99 }) => p99), 10, 10],
        ],
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
