/** `docs/errors.md` and the table of errors say the same: each code in both, under the same first sentences. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errors } from '../../src/shared/contract/errors.ts'

const sections = readFileSync('docs/errors.md', 'utf8').split(/^## /m).slice(1)
const documented = Object.fromEntries(
  sections.map((section) => {
    const [code = '', , sentence = ''] = section.split('\n')
    return [code.trim(), sentence.trim()]
  }),
)

test('every code of the table is documented, and every documented code is in the table', () => {
  expect(Object.keys(documented).toSorted()).toEqual(Object.keys(errors).toSorted())
})

test('each section begins with what the table says of its code', () => {
  expect(documented).toEqual({ ...errors })
})

test('no code is documented twice', () => {
  expect(sections).toHaveLength(Object.keys(documented).length)
})
