/**
 * Replay: 10,000 stored deliveries sent again, signed, recorded before and after and compared with
 * the last send, next to an undici client that only sends the same bytes. Same endpoint in a
 * separate process, same number of connections, alternating.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import type { OutputOf } from '../../src/shared/contract/contract.ts'
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import { startTestCore, type TestCore } from '../support/test-core.ts'
import type { Listening } from './ingest/server.ts'
import { startServer } from './scale/processes.ts'

export const name = 'replay'

const COUNT = 10_000
const ROUNDS = 3
const CONNECTIONS = 16
const BAR = 0.5
const SECRET = 'secret of the replay bench'

function bodyOf(count: number): string {
  return JSON.stringify({
    id: `transaction-${count}`,
    amount: count / 100,
    text: 'x'.repeat(1_000),
  })
}

async function fill(core: TestCore, url: string): Promise<void> {
  const deliverer = createDeliverer(core.caFile, CONNECTIONS)
  let next = 0
  const work = async () => {
    while (next < COUNT) {
      const body = bodyOf(next++)
      await deliverer.send(url, { body, headers: signedHeaders(SECRET, body, url) })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  deliverer.close()
}

/** Sends the same bytes with only the client; resolves with the sends per second. */
async function sendPlainly(origin: string): Promise<number> {
  // Each has a different signature, as in a replay, so the client must check every header.
  const requests = Array.from({ length: COUNT }, (_, count) => {
    const body = Buffer.from(bodyOf(count))
    return {
      path: '/in',
      method: 'POST',
      headers: signedHeaders(SECRET, body, origin).flat(),
      body,
    } as const
  })
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 })
  const started = performance.now()
  let next = 0
  const work = async () => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const answer = await pool.request(request)
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  const perSecond = (COUNT / (performance.now() - started)) * 1_000
  await pool.close()
  return perSecond
}

/** Measures from the call to the end of the replay, with everything stored. */
async function replayAll(core: TestCore, origin: string): Promise<number> {
  const over = new Promise<OutputOf<'replay.get'>['replay']>((resolve) => {
    const stop = core.client.on('replay.changed', ({ replay }) => {
      if (replay.state === 'running') return
      stop()
      resolve(replay)
    })
  })
  const started = performance.now()
  await core.client.call('replay.start', {
    query: '',
    to: `${origin}/in`,
    concurrency: CONNECTIONS,
  })
  const { passed } = await over
  const perSecond = (COUNT / (performance.now() - started)) * 1_000
  if (passed !== COUNT) throw new Error(`Of ${COUNT} only ${passed} were acknowledged.`)
  return perSecond
}

export async function run({ progress }: RunOptions): Promise<Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-replay-'))
  const endpoint = await startServer<Listening>('../ingest/server.ts', ['plain', ''])
  const origin = `http://127.0.0.1:${endpoint.first.port}`
  const core = await startTestCore({ dataFolder: folder })
  try {
    const url = `${core.receiver}/h/bench`
    await core.client.call('hooks.import', { event: 'transaction.auth', url, secret: SECRET })
    progress(`${COUNT} deliveries are captured`)
    await fill(core, url)
    const plain: number[] = []
    const replayed: number[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      progress(`round ${round} of ${ROUNDS}`)
      plain.push(await sendPlainly(origin))
      replayed.push(await replayAll(core, origin))
    }
    return [
      {
        title: `Replay of ${COUNT.toLocaleString('en')} deliveries, ${CONNECTIONS} at a time, 1.1 kB bodies, median of ${ROUNDS}`,
        columns: ['what', 'measured', 'bar'],
        rows: [
          ['undici alone: sends (1/s)', plain, ''],
          ['Countersign: signs, records, compares (1/s)', replayed, ''],
          ['ratio', replayed.map((rate, round) => rate / (plain[round] ?? Number.NaN)), BAR],
        ],
        notes: [
          'Countersign is timed from the call to the end of the replay, finding the deliveries and writing all of it included.',
        ],
      },
    ]
  } finally {
    await core.stop()
    await endpoint.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
