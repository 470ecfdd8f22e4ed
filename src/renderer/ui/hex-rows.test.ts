import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { concatenated, fromBase64, fromLatin1 } from '../core-data/bytes.ts'
import { hexRow, hexText } from './hex-rows.ts'

test('a row has an offset, two groups of eight bytes and the printable characters', () => {
  const bytes = Uint8Array.from({ length: 20 }, (_, index) => 0x3c + index)
  expect(hexRow(bytes, 0)).toEqual({
    offset: '00000000',
    hex: '3c 3d 3e 3f 40 41 42 43  44 45 46 47 48 49 4a 4b',
    characters: '<=>?@ABCDEFGHIJK',
  })
  expect(hexRow(bytes, 1)).toEqual({
    offset: '00000010',
    hex: '4c 4d 4e 4f'.padEnd(48),
    characters: 'LMNO',
  })
})

property.prop([fc.uint8Array({ maxLength: 100 })])('the hex text contains every byte', (bytes) => {
  const cells = hexText(bytes)
    .split('\n')
    .flatMap((line) => line.slice(10, 58).trim().split(/\s+/))
    .filter((cell) => cell !== '')
  expect(cells.map((cell) => Number.parseInt(cell, 16))).toEqual([...bytes])
})

property.prop([fc.uint8Array({ maxLength: 100 })])(
  'bytes survive Base64, Latin-1 and joining',
  (bytes) => {
    expect(fromBase64(Buffer.from(bytes).toString('base64'))).toEqual(new Uint8Array(bytes))
    expect(fromLatin1(Buffer.from(bytes).toString('latin1'))).toEqual(new Uint8Array(bytes))
    expect(concatenated([bytes.subarray(0, 3), bytes.subarray(3)])).toEqual(new Uint8Array(bytes))
  },
)
