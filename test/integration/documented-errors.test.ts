/** `docs/errors.md` and the table of errors have the same codes with the same first sentences. `-u` rewrites the sentences. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { errors } from '../../src/shared/contract/errors.ts'
import { expectPage } from '../support/docs-tables.ts'

const path = resolve('docs/errors.md')
const page = readFileSync(path, 'utf8')
const documented = page.split(/^## /m).slice(1)

test('the page and the table have the same codes, each once', () => {
  const codes = documented.map((section) => section.split('\n')[0] ?? '')
  expect(codes.toSorted()).toEqual(Object.keys(errors).toSorted())
})

test('each section begins with the sentence of its code', async () => {
  const updated = Object.entries(errors).reduce(
    (text, [code, sentence]) =>
      text.replace(
        new RegExp(`(^## ${code}\n\n).*`, 'm'),
        (_, heading: string) => heading + sentence,
      ),
    page,
  )
  await expectPage(path, updated)
})
