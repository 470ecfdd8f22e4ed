/**
 * Every relative link and picture in the docs points to an existing file and heading, and every
 * file that a page mentions exists.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const pages = [
  ...globSync('*.md'),
  ...globSync('docs/**/*.md'),
  ...globSync('test/fixtures/**/*.md'),
]

/** Returns the anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function anchorsOf(page: string): Set<string> {
  const text = readFileSync(page, 'utf8').replaceAll(/^```[^]*?^```/gm, '')
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
  return new Set([...headings, ...[...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)])
}

function isBroken(page: string, target: string): boolean {
  const [path = '', anchor = ''] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(file)) return true
  return anchor !== '' && file.endsWith('.md') && !anchorsOf(file).has(anchor)
}

function brokenLinks(page: string): string[] {
  const targets = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(
    (match) => match[1] ?? '',
  )
  return targets.filter((target) => !/^(?:https?|mailto):/.test(target) && isBroken(page, target))
}

test.each(pages)('%s has no broken links', (page) => {
  expect(brokenLinks(page)).toEqual([])
})

test.each(pages)('%s names only existing files', (page) => {
  const files = [
    ...readFileSync(page, 'utf8').matchAll(
      /`((?:src|test|scripts|bin|docs|resources)\/[\w./-]+)`/g,
    ),
  ]
  expect(files.map(([, file = '']) => file).filter((file) => !existsSync(file))).toEqual([])
})
