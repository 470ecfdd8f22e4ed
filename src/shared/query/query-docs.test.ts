import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { expectTables } from '../../../test/support/docs-tables.ts'
import { fieldNames, fieldOf } from './fields.ts'
import { flagWords } from './flag-words.ts'
import { parseQuery } from './parse.ts'
import { AppError } from '../contract/errors.ts'
import type { QueryProblem } from './problem.ts'

const path = fileURLToPath(new URL('../../../docs/query.md', import.meta.url))
const page = readFileSync(path, 'utf8')

test('docs/query.md lists the fields, and the words of is: and has:', async () => {
  const words = (of: 'is' | 'has') => flagWords(of).map(({ word, doc }) => [`\`${of}:${word}\``, doc])
  await expectTables(path, {
    fields: fieldNames.map((name) => {
      const field = fieldOf(name)
      const values = field.kind === 'choice' ? Object.keys(field.values).map((value) => `\`${value}\``) : []
      const doc = values.length === 0 ? field.doc : `${field.doc} Values: ${values.join(', ')}.`
      return [`\`${name}:\``, doc, `\`${field.example}\``]
    }),
    is: words('is'),
    has: words('has'),
  })
})

/** What the tables show as written, their own examples of queries. */
const shown = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => line.split(/(?<!\\)\|/)[1]?.match(/`[^`]+`/g) ?? [])
  .map((code) => code.slice(1, -1))
  .filter((code) => !fieldNames.some((name) => code === `${name}:`))

test.each(shown)('the page shows a query that can be read: %s', (query) => {
  expect(() => parseQuery(query)).not.toThrow()
})

describe('the error that the page shows', () => {
  test('is what is said', () => {
    let problem: unknown
    try {
      parseQuery('is:stale verdct:invalid')
    } catch (error) {
      problem = error
    }
    expect(problem).toBeInstanceOf(AppError)
    const { message, details } = problem as AppError
    expect(page).toContain(`${message}\n${(details as QueryProblem).pointer}\n`)
  })
})
