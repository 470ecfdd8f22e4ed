/** What of an import was stored is whole, also where the disk fills up in the middle of it. */
import { expect, test } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import type { Capture } from '../store/group-commit.ts'
import type { ImportedRow } from '../store/imported-repo.ts'
import type { Store } from '../store/store.ts'
import { createImporter, type ImporterDeps } from './importer.ts'

const { row } = captureOf('{}')
const lineOf = (id: string) => {
  const { seq: _, ...delivery } = deliveryRow(1, { id, pinned: true, note: 'kept' })
  const rest = { httpVersion: '1.1', headers: [], bodySha256: row.bodySha256, remote: null, replayOf: null }
  return JSON.stringify({ countersign: 1, ...delivery, ...rest, body: Buffer.from('{}').toString('base64') })
}

test('what was stored before the disk was full keeps its marks, and is told of', async () => {
  const completed: ImportedRow[] = []
  const told: unknown[] = []
  let seq = 0
  const store = {
    read: (name: string, input: readonly (number | string)[]) =>
      Promise.resolve(name === 'knownIds' ? [] : input.map((one) => ({ seq: one }))),
    write: (_: string, rows: readonly ImportedRow[]) => {
      completed.push(...rows)
      return Promise.resolve()
    },
    async capture({ row: { id } }: Capture) {
      await Promise.resolve()
      if (id === 'second') throw new Error('The disk is full.')
      // What comes later may well be stored later.
      if (id === 'third') await new Promise((resolve) => setImmediate(resolve))
      return ++seq
    },
    answered: () => undefined,
    search: { changed: () => undefined } as unknown as Store['search'],
    settled: () => Promise.resolve(),
    pace: { rest: () => Promise.resolve() },
  } as unknown as ImporterDeps['store']
  const importer = createImporter({ store, onImported: (one) => told.push(one) })
  await expect(importer.import([lineOf('first'), lineOf('second'), lineOf('third')])).rejects.toThrow('The disk is full.')
  expect(completed.map(({ seq: at, note, pinned }) => [at, note, pinned])).toEqual([
    [1, 'kept', true],
    [2, 'kept', true],
  ])
  expect(told).toHaveLength(2)
})
