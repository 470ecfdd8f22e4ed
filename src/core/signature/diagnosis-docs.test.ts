import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const CAUSE = /\b(?:secret|passes|encoding|url|timestamp|body):[a-z0-9-]+/g

it('docs/diagnosis.md lists exactly the causes that a diagnosis can name', () => {
  const named = new Set(read('./diagnose.ts').match(CAUSE))
  const listed = new Set(read('../../../docs/diagnosis.md').match(CAUSE))
  expect([...listed].toSorted()).toEqual([...named].toSorted())
})
