import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkConclusionSchema, checkGroups } from '../../shared/model/check.ts'
import { checkCases } from './cases/all.ts'
import { MARKED_ID } from './payloads.ts'

const page = readFileSync(new URL('../../../docs/check.md', import.meta.url), 'utf8')

/** The page without what Markdown and its formatter add to a text. */
const plain = (text: string) => text.replaceAll(/\\(?=[*_<>])/g, '').replaceAll(/\s+/g, ' ')

test('docs/check.md has exactly the cases, each in its words', () => {
  expect([...page.matchAll(/^#### (.+)$/gm)].map(([, name]) => name)).toEqual(checkCases.map(({ name }) => name))
  for (const [group, title] of Object.entries(checkGroups)) expect(page).toContain(`### ${title} (\`${group}\`)`)
  for (const { name, title, severity, section, sends, expected, why, fix } of checkCases) {
    const from = page.indexOf(`#### ${name}\n`)
    const end = page.indexOf('\n###', from + 1)
    const text = plain(page.slice(from, end === -1 ? undefined : end))
    expect(text.toLowerCase()).toContain(`${severity}, [section ${section}]`)
    for (const words of [title, sends, expected, why, fix]) expect(text).toContain(plain(words))
  }
})

test('docs/check.md names each conclusion, and what ids begin with', () => {
  const listed = [...page.matchAll(/^\| `([a-z-]+)`/gm)].map(([, cause]) => cause)
  expect(listed).toEqual(checkConclusionSchema.shape.cause.options)
  expect(page).toContain(`\`${MARKED_ID}\``)
})
