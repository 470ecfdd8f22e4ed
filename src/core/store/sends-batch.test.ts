/** Endings on their way to the writer's thread. */
import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { packSends, type EndedSend } from './sends-batch.ts'

const ended = (headers: RawHeaders): EndedSend => ({
  seq: 1,
  state: 'settled',
  startedAt: 1,
  registeredUrl: null,
  status: 200,
  ms: 1,
  phases: null,
  errorKind: null,
  error: null,
  passed: true,
  certificateProblem: null,
  headers,
  body: new Uint8Array(),
  truncated: false,
  request: null,
})

/** Few names and values: many lists are alike, or nearly. */
const word = fc.constantFrom('Date', 'date', '', 'a')
const list = fc.array(fc.tuple(word, word), { maxLength: 3 })

test.prop([fc.array(list)])('each answer keeps its own headers, whichever came before it', (lists) => {
  const { ended: rows } = packSends({ reached: [], begun: [], ended: lists.map(ended), released: [] })
  expect(rows.map((row) => row.find((value) => typeof value === 'string' && value.startsWith('[')))).toEqual(
    lists.map((headers) => JSON.stringify(headers)),
  )
})
