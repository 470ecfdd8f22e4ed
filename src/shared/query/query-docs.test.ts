import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fieldNames, fieldOf } from './fields.ts'
import { flagWords } from './flag-words.ts'
import { parseQuery } from './parse.ts'
import { AppError } from '../contract/errors.ts'
import type { QueryProblem } from './problem.ts'

const page = readFileSync(new URL('../../../docs/query.md', import.meta.url), 'utf8')

/** The cells of the table between two marks, its head left out. */
function tableOf(mark: string): string[][] {
  const text = page.slice(page.indexOf(`<!-- ${mark} -->`), page.indexOf(`<!-- /${mark} -->`))
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  )
}

test('docs/query.md lists the fields as they are: name, sentence and example', () => {
  expect(tableOf('fields')).toEqual(
    fieldNames.map((name) => {
      const field = fieldOf(name)
      const values =
        field.kind === 'choice'
          ? ` Values: ${Object.keys(field.values)
              .map((value) => `\`${value}\``)
              .join(', ')}.`
          : ''
      return [`\`${name}:\``, field.doc + values, `\`${field.example}\``]
    }),
  )
})

test.each(['is', 'has'] as const)('docs/query.md lists the words of %s:', (of) => {
  expect(tableOf(of)).toEqual(flagWords(of).map(({ word, doc }) => [`\`${of}:${word}\``, doc]))
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
