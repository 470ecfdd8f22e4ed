/**
 * The memory of the core while a million deliveries go through: as many as 16 connections bring, in a core that starts empty, its
 * index filled behind. `COUNT` changes the number.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import { startTestCore } from '../support/test-core.ts'
import type { LoadResult } from './ingest/load.ts'
import { runClient, startScaleServer } from './scale/processes.ts'

export const name = 'memory'

const COUNT = Number(process.env['COUNT'] ?? 1_000_000)
const BAR_MIB = 200
const ROUND_SECONDS = 20
const SECRET = 'secret of the memory bench'
const MIB = 1_048_576

export async function run({ progress }: RunOptions): Promise<Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-memory-'))
  try {
    const core = await startTestCore({ dataFolder: folder })
    const url = `${core.receiver}/h/memory`
    await core.client.call('hooks.import', { event: 'transaction.auth', url, secret: SECRET })
    await core.stop()

    const server = await startScaleServer(folder)
    const options = { ...server, path: '/h/memory', url, secret: SECRET, connections: 16, seconds: ROUND_SECONDS, warmUp: 0 }
    const samples: { through: number; rss: number; left: number }[] = []
    let through = 0
    let most = 0
    while (through < COUNT) {
      let loading = true
      const load = runClient<LoadResult>('../ingest/load.ts', options).finally(() => {
        loading = false
      })
      while (loading) {
        await delay(1_000)
        most = Math.max(most, (await server.memory()).rss)
      }
      through += Math.round((await load).perSecond * ROUND_SECONDS)
      const { rss, left } = await server.memory()
      samples.push({ through, rss, left })
      progress(
        `${through.toLocaleString('en')} through, ${Math.round(rss / MIB)} MiB, ${left.toLocaleString('en')} not indexed yet`,
      )
    }
    progress('the index is filled')
    for (let left = 1; left > 0;) {
      await delay(1_000)
      const now = await server.memory()
      left = now.left
      most = Math.max(most, now.rss)
    }
    const after = (await server.memory()).rss
    await server.stop()
    const at = (share: number) => samples[Math.min(samples.length - 1, Math.floor(samples.length * share))]!
    const mib = (bytes: number) => bytes / MIB
    return [
      {
        title: `Memory of the core while ${through.toLocaleString('en')} deliveries went through`,
        columns: ['when', 'RSS (MiB)', 'bar (MiB)'],
        rows: [
          ['at a quarter', mib(at(0.25).rss), BAR_MIB],
          ['at half', mib(at(0.5).rss), BAR_MIB],
          ['at three quarters', mib(at(0.75).rss), BAR_MIB],
          ['at the end of the load', mib(at(1).rss), BAR_MIB],
          ['with the index filled', mib(after), BAR_MIB],
          ['most of all', mib(most), BAR_MIB],
        ],
        notes: ['RSS of the whole process, its four threads and the receiver in it; looked at once a second.'],
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
