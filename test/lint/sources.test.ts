/** What no rule of the linter can see: searched for in the text of the sources. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const sources = globSync('src/**/*.{ts,tsx,html}', { exclude: ['**/*.test.*'] }).map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}))

/** `file:line` of every line that matches. */
function places(pattern: RegExp): string[] {
  return sources.flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  )
}

test('there are sources to search', () => {
  expect(sources.length).toBeGreaterThan(40)
})

test('no HTML is made from text, and no text is run as code', () => {
  const sinks =
    /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|setHTMLUnsafe|document\.write|createContextualFragment|srcDoc=/
  expect(places(sinks)).toEqual([])
  expect(places(/\beval\(|new Function\(|javascript:/)).toEqual([])
})

test('no import names its module in backticks, which the layer rules do not read', () => {
  expect(places(/\bimport\(\s*`/)).toEqual([])
})

test('no folder is created recursively, which can loop forever: use makeFolder of core/base/data-folder.ts', () => {
  expect(places(/\bmkdir(Sync)?\(.*recursive/)).toEqual([])
})

test('no rule is silenced', () => {
  expect(places(/oxlint-disable|eslint-disable|@ts-(ignore|nocheck)|prettier-ignore/)).toEqual([])
})
