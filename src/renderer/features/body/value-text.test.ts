import { fc, test as property } from '@fast-check/vitest'
import { expect } from 'vitest'
import { parseQuery } from '../../../shared/query/parse.ts'
import { childOf, readJson, stepsOf } from '../../../shared/json/tree.ts'
import { filterTerm } from './value-text.ts'
import { times } from '../../../../test/support/long-form.ts'

const name = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
  fc.constantFrom('status', 'header', 'event', 'card', 'a b', '"', '\\'),
)
const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('a*b', '1..2', '>5', 'OR', '-x'),
)

property.prop([name, name, value], { numRuns: times(30, 3_000) })(
  'the filter parses a term back into its path and literal value',
  (outer, inner, held) => {
    const text = JSON.stringify({ [outer]: { [inner]: held } })
    const node = childOf(childOf(readJson(text), outer), inner)
    if (node === null) throw new Error('not JSON')
    const term = filterTerm(node) ?? ''
    expect(parseQuery(term)).toMatchObject({
      kind: 'term',
      name: { kind: 'path', steps: stepsOf(node) },
      items: [{ text: String(held) }],
    })
  },
)
