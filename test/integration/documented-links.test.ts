/** Every relative link and picture in the pages leads to a file that is there. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const pages = [...globSync('*.md'), ...globSync('docs/**/*.md'), ...globSync('test/fixtures/**/*.md')]

function brokenLinks(page: string): string[] {
  const targets = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
  return targets
    .filter((target) => !/^(https?|mailto):|^#/.test(target))
    .filter((target) => !existsSync(join(dirname(page), target.replace(/#.*$/, ''))))
}

test('there are pages to look at', () => {
  expect(pages).toContain('README.md')
  expect(pages.length).toBeGreaterThan(5)
})

test.each(pages)('%s links to nothing that is missing', (page) => {
  expect(brokenLinks(page)).toEqual([])
})
