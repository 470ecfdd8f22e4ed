/**
 * How replaying all of a million deliveries slows down acknowledgements, while the replay is recorded and while it is cancelled:
 * deliveries are sent one after another, and the longest wait is shown.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import { startTestCore, type TestCore } from '../support/test-core.ts'
import { COUNT, onMillion, target } from './scale/million.ts'
import type { Listening } from './ingest/server.ts'
import { startServer } from './scale/processes.ts'

export const name = 'replay-start'

const CALM_MS = 3_000
const PAUSE_MS = 10
const SETTLE_MS = 200

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Sends deliveries one after another until stopped; returns the longest acknowledgement since the last call, in milliseconds. */
function deliverOn(core: TestCore) {
  const url = `${core.receiver}${new URL(target.url).pathname}`
  const deliverer = createDeliverer(core.caFile, 1)
  let isOver = false
  let longest = 0
  let count = 0
  const going = (async () => {
    while (!isOver) {
      const body = JSON.stringify({ id: `while-it-starts-${count++}` })
      const startedAt = performance.now()
      await deliverer.send(url, { body, headers: signedHeaders(target.secret, body, target.url) })
      longest = Math.max(longest, performance.now() - startedAt)
      await sleep(PAUSE_MS)
    }
  })()
  return {
    longest() {
      const found = longest
      longest = 0
      return found
    },
    async stop() {
      isOver = true
      await going
      deliverer.close()
    },
  }
}

async function measure(folder: string, origin: string): Promise<Table> {
  const core = await startTestCore({ dataFolder: folder })
  const deliveries = deliverOn(core)
  const loop = monitorEventLoopDelay({ resolution: 2 })
  /** Runs a function; returns its duration, the longest acknowledgement meanwhile, and the longest block of the main thread. */
  const watch = async (work: () => Promise<unknown>): Promise<number[]> => {
    deliveries.longest()
    loop.reset()
    loop.enable()
    const startedAt = performance.now()
    await work()
    const ms = performance.now() - startedAt
    await sleep(SETTLE_MS)
    loop.disable()
    return [ms, deliveries.longest(), loop.max / 1e6]
  }
  try {
    const calm = await watch(() => sleep(CALM_MS))
    let jobId = ''
    const started = await watch(async () => {
      const { job } = await core.client.call('replay.start', {
        query: '',
        to: `${origin}/in`,
        live: true,
      })
      jobId = job.id
    })
    const cancelled = await watch(() => core.client.call('replay.cancel', { jobId }))
    const row = (label: string, figures: readonly number[]) => [
      label,
      ...figures.map((figure) => [figure]),
    ]
    return {
      title: `A replay of ${COUNT.toLocaleString('en')} deliveries is started and cancelled, while others come`,
      columns: [
        'while',
        'takes (ms)',
        'longest acknowledgement (ms)',
        'longest turn of the main thread (ms)',
      ],
      rows: [
        row('nothing else happens', calm),
        row('it is written down', started),
        row('it is cancelled', cancelled),
      ],
      notes: [
        'The deliveries come from the same process, one after another: its longest turns are in their times.',
      ],
    }
  } finally {
    await deliveries.stop()
    await core.stop()
  }
}

export async function run({ progress }: RunOptions): Promise<Table[]> {
  const endpoint = await startServer<Listening>('../ingest/server.ts', ['plain', ''])
  try {
    return await onMillion(progress, async (folder) => [
      await measure(folder, `http://127.0.0.1:${endpoint.first.port}`),
    ])
  } finally {
    await endpoint.stop()
  }
}
