import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { rowsBySeq } from './deliveries.ts'
import { packBodies, unpackBodies } from './packed-bodies.ts'

property.prop([fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 })])(
  'packed bodies are unpacked in order with their sizes, empty ones too',
  (bodies) => {
    const next = unpackBodies(packBodies(bodies))
    expect(bodies.map(({ length }) => [...next(length)])).toEqual(bodies.map((body) => [...body]))
  },
)

test('a part of a larger buffer is unpacked correctly', () => {
  const next = unpackBodies(new Uint8Array([9, 9, 1, 2, 3, 9]).subarray(2, 5))
  expect([[...next(1)], [...next(2)]]).toEqual([[1], [2, 3]])
})

test("a flow run's delivery is its own from the moment it is stored: no list shows it and takes it away again", () => {
  const database = databaseInFolder()
  const flowRun = { flow: 'card-linked', run: 'run' }
  database.put([captureOf('{}', { flowRun })])
  expect(rowsBySeq(database.db, [1])).toMatchObject([{ flowRun: { ...flowRun, step: null } }])
})
