import { beforeAll, expect, test } from 'vitest'
import type { InputOf } from '../../src/shared/contract/contract.ts'
import { groupTitle } from '../../src/shared/text/comparison-words.ts'
import { coreInFolder } from '../support/in-folder.ts'
import {
  capturePurchases,
  purchaseDeliveries,
  startChangedLedger,
  startLedger,
} from '../support/purchases.ts'
import { endOf } from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'

let core: TestCore
beforeAll(async () => {
  core = await coreInFolder()
  await capturePurchases(core)
})

async function compare(input: InputOf<'replay.start'>) {
  const { replay } = await core.call('replay.start', { query: '', concurrency: 8, ...input })
  await endOf(core.client, replay.id)
  return core.call('replay.comparison', { replayId: replay.id })
}

test('two handlers that differ in three ways give three groups, whatever ids and times they return', async () => {
  const [before, after] = [await startLedger(), await startChangedLedger()]
  const result = await compare({
    ...{ to: after.origin, against: before.origin, headersIn: ['x-ledger'] },
  })
  expect(result.groups.map(groupTitle)).toEqual([
    '40 × transaction.clearing: 200, body "total" differs',
    '30 × transaction.refund: 200 → 500, body "error": "LedgerConflict"',
    '20 × transaction.auth: 200, header x-ledger: v2',
  ])
  expect(result).toMatchObject({
    ...{ total: 500, regressed: 30, changed: 60, same: 410 },
    ...{ fixed: 0, unreachable: 0, notCompared: 0 },
  })
  for (const ledger of [before, after]) {
    expect(ledger.mistakes).toEqual([])
    expect(ledger.seen).toHaveLength(500)
    expect(ledger.most()).toBeGreaterThan(1)
    const expected = purchaseDeliveries().map(({ event, body }) => {
      const { id, originalTransactionId } = JSON.parse(body) as Record<string, string>
      return `${originalTransactionId ?? id} ${event} ${id}`
    })
    expect(ledger.byPurchase()).toEqual(Map.groupBy(expected, (line) => line.split(' ')[0]))
  }
})
