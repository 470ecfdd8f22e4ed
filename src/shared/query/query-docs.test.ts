import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { expectPage, withPart, withTables } from '../../../test/support/docs-tables.ts'
import { fieldNames, fieldOf } from './fields.ts'
import { flagWords } from './flag-words.ts'
import { parseQuery } from './parse.ts'
import { AppError } from '../contract/errors.ts'
import type { QueryProblem } from './problem.ts'

const path = fileURLToPath(new URL('../../../docs/query.md', import.meta.url))
const page = readFileSync(path, 'utf8')

/** The command line's output for a query that can't be parsed. */
function errorOf(query: string): string {
  try {
    parseQuery(query)
  } catch (error) {
    if (error instanceof AppError)
      return `${error.message}\n${(error.details as QueryProblem).pointer}`
  }
  return 'No error'
}

test('docs/query.md lists the fields, the words of is: and has:, and an error', async () => {
  const words = (of: 'is' | 'has') =>
    flagWords(of).map(({ word, doc }) => [`\`${of}:${word}\``, doc])
  const tables = {
    fields: fieldNames.map((name) => {
      const field = fieldOf(name)
      const values =
        field.kind === 'choice' ? Object.keys(field.values).map((value) => `\`${value}\``) : []
      const doc = values.length === 0 ? field.doc : `${field.doc} Values: ${values.join(', ')}.`
      return [`\`${name}:\``, doc, `\`${field.example}\``]
    }),
    is: words('is'),
    has: words('has'),
  }
  const error = `\`\`\`text\n${errorOf('is:stale verdct:invalid')}\n\`\`\``
  await expectPage(
    path,
    withPart(withTables(page, tables), 'error', () => error),
  )
})

/** Example queries shown in the tables. */
const shown = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => line.split(/(?<!\\)\|/)[1]?.match(/`[^`]+`/g) ?? [])
  .map((code) => code.slice(1, -1))
  .filter((code) => !fieldNames.some((name) => code === `${name}:`))

test.each(shown)('the page shows a valid query: %s', (query) => {
  expect(() => parseQuery(query)).not.toThrow()
})
