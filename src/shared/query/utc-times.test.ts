import { afterEach, beforeEach, expect, test } from 'vitest'
import { readQuery } from './parse.ts'
import { withUtcTimes } from './utc-times.ts'

const now = Date.parse('2026-11-20T14:03:07.512Z')
const zone = process.env['TZ']

beforeEach(() => {
  process.env['TZ'] = 'Asia/Tokyo'
})
afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

test.each([
  ['received:2026-11-20T23:03', 'received:2026-11-20T14:03:00.000Z..2026-11-20T14:03:59.999Z'],
  [
    'received:"2026-11-20 23:03:07.512"',
    'received:2026-11-20T14:03:07.512Z..2026-11-20T14:03:07.512Z',
  ],
  ['a received:>2026-11-20 b', 'a received:>=2026-11-20T15:00:00.000Z b'],
  ['received:..2026-11-20', 'received:<2026-11-20T15:00:00.000Z'],
  [
    '-after:today OR before:23:00',
    '-after:2026-11-19T15:00:00.000Z OR before:2026-11-20T14:00:00.000Z',
  ],
  ['after:2026-11-20T01:00Z', 'after:2026-11-20T01:00:00.000Z'],
  [
    'received:yesterday,now',
    'received:2026-11-18T15:00:00.000Z..2026-11-19T14:59:59.999Z,2026-11-20T14:03:07.512Z..2026-11-20T14:03:07.512Z',
  ],
  [
    'within:2h "after:today" card.created:>2026-11-20',
    'within:2h "after:today" card.created:>2026-11-20',
  ],
  ['after:today (', 'after:today ('],
])('%s is read in the zone of this computer', (query, utc) => {
  expect(withUtcTimes(query, now)).toBe(utc)
  if (query === utc) return
  const here = readQuery(query, { now, hooks: [] })
  process.env['TZ'] = 'America/Los_Angeles'
  expect(readQuery(utc, { now, hooks: [] })).toEqual(here)
})
