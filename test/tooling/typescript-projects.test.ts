import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'

test('the root tsconfig lists every project, so that `tsc -b` and editors check every file', () => {
  const { references } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as {
    references: { path: string }[]
  }
  const projects = globSync('{src,test}/**/tsconfig.json', {
    exclude: (name) => name === 'fixtures',
  }).map(dirname)

  expect(projects.length).toBeGreaterThan(5)
  expect(references.map(({ path }) => path).toSorted()).toEqual(projects.toSorted())
})
