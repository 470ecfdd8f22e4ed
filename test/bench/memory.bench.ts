/**
 * The memory of the core while a million deliveries go through: the built application, started empty, takes as many as 16
 * connections bring, and fills its index behind. `COUNT` changes the number.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from '../../scripts/build.mjs'
import type { RunOptions, Table } from '../../scripts/lib/measurement.ts'
import type { LoadResult } from './ingest/load.ts'
import { runClient } from './scale/processes.ts'

export const name = 'memory'

const COUNT = Number(process.env['COUNT'] ?? 1_000_000)
const BAR_MIB = 200
const ROUND_SECONDS = 20
/** How long it is watched after the last delivery, while the index is filled. */
const AFTER_SECONDS = 60
const SECRET = 'secret of the memory bench'
const CLI = fileURLToPath(new URL('../../out/node/cli.js', import.meta.url))

/** Resident memory of a process, in MiB. */
function residentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
}

export async function run({ progress }: RunOptions): Promise<Table[]> {
  await buildIfStale()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-memory-'))
  const ports = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']
  const child = spawn(process.execPath, [CLI, 'serve', '--json', '--no-open', '--data', folder, ...ports], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const { receiver, ca, pid } = JSON.parse(line) as { receiver: string; ca: string; pid: number }
    const url = `${receiver}/h/memory`
    const flags = ['--event', 'transaction.auth', '--url', url, '--secret', SECRET, '--environment', 'sandbox-test']
    execFileSync(process.execPath, [CLI, 'hooks', 'import', ...flags, '--data', folder])
    const idle = residentOf(pid)
    const options = {
      port: Number(new URL(receiver).port),
      caFile: ca,
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
      through += Math.round((await runClient<LoadResult>('../ingest/load.ts', options)).perSecond * ROUND_SECONDS)
      samples.push(residentOf(pid))
      most = Math.max(most, samples.at(-1) ?? 0)
      progress(`${through.toLocaleString('en')} through, ${Math.round(samples.at(-1) ?? 0)} MiB`)
    }
    progress('the index is filled')
    for (let second = 0; second < AFTER_SECONDS; second++) {
      await delay(1_000)
      most = Math.max(most, residentOf(pid))
    }
    const at = (share: number) => samples[Math.min(samples.length - 1, Math.floor(samples.length * share))] ?? Number.NaN
    return [
      {
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
        notes: ['RSS of the whole process: receiver, sandbox, the window’s host, and the threads that write, read and search.'],
      },
    ]
  } finally {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}
