/** Measures how searches and filling the index slow down acknowledgements. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Table } from '../../../scripts/lib/measurement.ts'
import { removeSearch, searchFileOf } from '../../../src/core/store/search/open-search.ts'
import type { LoadOptions, LoadResult } from '../ingest/load.ts'
import type { Listening } from '../ingest/server.ts'
import type { OpenLoopOptions, OpenLoopResult } from './open-loop.ts'
import { runClient, startScaleServer, startServer } from './processes.ts'
import { startTestCore } from '../../support/test-core.ts'

export interface Target {
  /** The registered URL, its path and its secret. */
  readonly url: string
  readonly secret: string
}

const OPEN_LOOP_ROUNDS = 5
const PER_SECOND = 500
const OPEN_LOOP_SECONDS = 10
const SEARCH_BAR = 1.5

const CLOSED_LOOP_ROUNDS = 3
const CLOSED_LOOP_SECONDS = 8
const CONNECTIONS = 16
const FILLING_BAR = 0.85

/** Sends 500 different deliveries per second, alternating with and without searches. */
export async function measureWhileSearching(
  folder: string,
  target: Target,
  progress: (message: string) => void,
): Promise<Table> {
  const server = await startScaleServer(folder)
  try {
    const options: OpenLoopOptions = {
      ...target,
      port: server.port,
      caFile: server.caFile,
      path: new URL(target.url).pathname,
      connections: 64,
      perSecond: PER_SECOND,
      seconds: OPEN_LOOP_SECONDS,
      warmUp: 2,
    }
    const results: Record<'rest' | 'search', OpenLoopResult[]> = { rest: [], search: [] }
    let searches = 0
    for (let round = 1; round <= OPEN_LOOP_ROUNDS; round++) {
      for (const wish of ['rest', 'search'] as const) {
        progress(
          `acknowledgements, ${wish === 'rest' ? 'alone' : 'while searches run'}: round ${round} of ${OPEN_LOOP_ROUNDS}`,
        )
        server.tell(wish)
        results[wish].push(await runClient<OpenLoopResult>('./open-loop.ts', options))
      }
      server.tell('rest')
      searches = (await server.memory()).searches
    }
    const row = (label: string, of: readonly OpenLoopResult[]) => [
      label,
      of.map(({ p50 }) => p50),
      of.map(({ p99 }) => p99),
      of.map(({ max }) => max),
      of.map(({ refused }) => refused),
    ]
    const ratios = results.search.map(({ p99 }, round) => p99 / results.rest[round]!.p99)
    return {
      title: `Acknowledgements over a million deliveries: open loop, ${PER_SECOND}/s, median of ${OPEN_LOOP_ROUNDS} rounds of ${OPEN_LOOP_SECONDS} s`,
      columns: ['while', 'p50 (ms)', 'p99 (ms)', 'max (ms)', 'not 200', 'ratio of p99', 'bar'],
      rows: [
        [...row('nothing else happens', results.rest), '', ''],
        [...row('searches run', results.search), ratios, SEARCH_BAR],
      ],
      notes: [
        `${searches} searches, 50 ms apart, each reading a page, a count, and part of the timeline and statistics.`,
      ],
    }
  } finally {
    await server.stop()
  }
}

async function loadMockttp(options: Omit<LoadOptions, 'port' | 'caFile'>): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-mockttp-'))
  const { first, stop } = await startServer<Listening>('../ingest/server.ts', ['mockttp', folder])
  try {
    return await runClient<LoadResult>('../ingest/load.ts', { ...options, ...first })
  } finally {
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Sends as many deliveries as 16 connections can while the whole index is filled; compared with
 * mockttp.
 */
export async function measureWhileFilling(
  folder: string,
  target: Target,
  progress: (message: string) => void,
): Promise<Table> {
  const options = {
    ...target,
    path: new URL(target.url).pathname,
    connections: CONNECTIONS,
    seconds: CLOSED_LOOP_SECONDS,
    warmUp: 2,
  }
  const results: Record<'mockttp' | 'countersign', LoadResult[]> = { mockttp: [], countersign: [] }
  const indexed: number[] = []
  for (let round = 1; round <= CLOSED_LOOP_ROUNDS; round++) {
    progress(`ingest while the index fills: round ${round} of ${CLOSED_LOOP_ROUNDS}`)
    results.mockttp.push(await loadMockttp(options))
    removeSearch(searchFileOf(folder))
    const server = await startScaleServer(folder)
    try {
      const before = await server.memory()
      results.countersign.push(
        await runClient<LoadResult>('../ingest/load.ts', {
          ...options,
          port: server.port,
          caFile: server.caFile,
        }),
      )
      indexed.push(before.left - (await server.memory()).left)
    } finally {
      await server.stop()
    }
  }
  const row = (label: string, of: readonly LoadResult[]) => [
    label,
    of.map(({ perSecond }) => perSecond),
    of.map(({ p99 }) => p99),
    of.map(({ refused }) => refused),
  ]
  const ratios = results.countersign.map(
    ({ perSecond }, round) => perSecond / results.mockttp[round]!.perSecond,
  )
  return {
    title: `Ingest while the index of a million deliveries is filled: ${CONNECTIONS} connections, median of ${CLOSED_LOOP_ROUNDS} rounds of ${CLOSED_LOOP_SECONDS} s`,
    columns: ['server', 'acknowledged (1/s)', 'p99 (ms)', 'not 200', 'ratio', 'bar'],
    rows: [
      [...row('mockttp: records in memory', results.mockttp), '', ''],
      [
        ...row('Countersign: stores durably, fills its index', results.countersign),
        ratios,
        FILLING_BAR,
      ],
    ],
    notes: [
      `The part not yet indexed shrank by ${indexed.join(', ')} deliveries meanwhile, those that came in counted against it.`,
    ],
  }
}

/** Completes the index, so that it doesn't affect the next measurement. */
export async function fillIndex(folder: string): Promise<void> {
  const core = await startTestCore({ dataFolder: folder })
  for (let left = 1; left > 0;) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    left = (await core.core.status()).store.search.left
  }
  await core.stop()
}
