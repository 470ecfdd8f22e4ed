import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { packBodies, unpackBodies } from './ingest.ts'

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
