import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { packBodies, unpackBodies } from './packed-bodies.ts'

test.prop([fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 })])(
  'what was packed comes out again, in order and of the size that it had, empty ones too',
  (bodies) => {
    const next = unpackBodies(packBodies(bodies))
    expect(bodies.map(({ length }) => [...next(length)])).toEqual(bodies.map((body) => [...body]))
  },
)

test('a part of a larger buffer is unpacked as what it is', () => {
  const next = unpackBodies(new Uint8Array([9, 9, 1, 2, 3, 9]).subarray(2, 5))
  expect([[...next(1)], [...next(2)]]).toEqual([[1], [2, 3]])
})
