/** `docs/errors.md` explains each error. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { errorCodes } from '../../src/shared/contract/errors.ts'

const page = readFileSync(resolve('docs/errors.md'), 'utf8')
const documented = page.split(/^## /m).slice(1)

test('the page has every code, each once', () => {
  const codes = documented.map((section) => section.split('\n')[0] ?? '')
  expect(codes.toSorted()).toEqual(errorCodes.toSorted())
})
