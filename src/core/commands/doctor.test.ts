import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { AppStatus, SearchStatus } from '../../shared/model/status.ts'
import { runDoctor } from './doctor.ts'

/** What is said of the search index in one of its states. */
async function searchCheck(search: SearchStatus) {
  const status: AppStatus = {
    version: '1',
    host: 'command',
    pid: 1,
    dataFolder: tmpdir(),
    caFile: 'ca.pem',
    receiver: { state: 'off', url: null, publicUrl: null, httpUrl: null, problem: null },
    sandbox: null,
    store: { state: 'ok', problem: null, deliveries: 1, bytes: 1, search },
    vault: { backend: 'file', protected: false, message: 'In a file.' },
  }
  const durability = { journalMode: 'wal', synchronous: 2 }
  const checks = await runDoctor({ status, hooks: [], durability, addressTest: null, renewalAt: null, now: 0 })
  return checks.find(({ name }) => name === 'search')
}

test('doctor tells how far the search index is', async () => {
  expect(await searchCheck({ state: 'ready', left: 0 })).toMatchObject({
    outcome: 'ok',
    message: expect.stringContaining('Every'),
  })
  const filling = await searchCheck({ state: 'filling', left: 12_345 })
  expect(filling).toMatchObject({ outcome: 'ok', message: expect.stringContaining('12,345 deliveries left') })
  expect(await searchCheck({ state: 'off', left: 5 })).toMatchObject({ outcome: 'warning', fix: expect.stringContaining('disk') })
})
