import { describe, expect, test } from 'vitest'
import { judgeFreshness, parseTimestamp } from './freshness.ts'

const AT = 1_763_700_000_000

describe('the freshness of a timestamp, at receipt', () => {
  test.each([
    ['now', String(AT), 'fresh'],
    ['299 s old', String(AT - 299_000), 'fresh'],
    ['300 s old', String(AT - 300_000), 'fresh'],
    ['a millisecond older', String(AT - 300_001), 'stale'],
    ['301 s old', String(AT - 301_000), 'stale'],
    ['299 s ahead', String(AT + 299_000), 'fresh'],
    ['300 s ahead', String(AT + 300_000), 'fresh'],
    ['a millisecond further', String(AT + 300_001), 'future'],
    ['301 s ahead', String(AT + 301_000), 'future'],
    ['in seconds', String(AT / 1_000), 'stale'],
    ['in microseconds', String(AT * 1_000), 'future'],
    ['zero', '0', 'stale'],
    ['negative', '-1', 'stale'],
    ['with leading zeros', `000${AT}`, 'fresh'],
    ['absent', null, 'missing'],
    ['empty', '', 'missing'],
    ['white space', ' ', 'missing'],
    ['a number with letters behind it', '12abc', 'missing'],
    ['an exponent', '1e3', 'missing'],
    ['a fraction', `${AT}.5`, 'missing'],
    ['hexadecimal', '0x19a', 'missing'],
    ['signed with a plus', `+${AT}`, 'missing'],
    ['in other digits', '１７６３７０００００００００', 'missing'],
    ['ISO 8601', new Date(AT).toISOString(), 'missing'],
    ['two lines', `${AT}\n${AT}`, 'missing'],
    ['followed by a line feed', `${AT}\n`, 'missing'],
    ['NaN', 'NaN', 'missing'],
    ['larger than any date', '9'.repeat(18), 'missing'],
  ] as const)('%s', (_name, timestamp, freshness) => {
    expect(judgeFreshness(timestamp, AT)).toBe(freshness)
  })

  test('takes another window where one is given', () => {
    expect(judgeFreshness(String(AT - 5_000), AT, 5_000)).toBe('fresh')
    expect(judgeFreshness(String(AT - 5_001), AT, 5_000)).toBe('stale')
  })

  test('does not depend on the clock of whoever looks at it later', () => {
    expect(judgeFreshness(String(AT), AT)).toBe(judgeFreshness(String(AT), AT))
    expect(parseTimestamp(String(AT))).toBe(AT)
  })
})
