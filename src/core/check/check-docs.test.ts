/** docs/check-cases.md lists every case and cause. `npx vitest run src/core/check -u` rewrites the cases. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectPage, withPart } from '../../../test/support/docs-tables.ts'
import { checkConclusionSchema, checkGroups } from '../../shared/model/check.ts'
import { sectionAnchor } from '../../shared/service/hook-finding.ts'
import { checkCases } from './cases.ts'
import { MARKED_ID } from './requests.ts'

const docs = join(import.meta.dirname, '../../../docs')
const FILE = join(docs, 'check-cases.md')
const page = readFileSync(FILE, 'utf8')

/** As one line of Markdown, formatted like the docs. */
const line = (text: string) => text.replaceAll(/[*_<]/g, String.raw`\$&`)

test('docs/check-cases.md lists each case', async () => {
  const groups = Object.entries(checkGroups).map(([group, title]) => {
    const cases = checkCases
      .filter((one) => one.group === group)
      .map(({ name, title: what, severity, section, sends, expected }) => {
        const link = `[spec ${section}](service.md#${sectionAnchor(section)})`
        return `### ${name}\n\n${line(what)}. ${line(sends)}\n\nExpected: ${line(expected).replace(/\.$/, '')}. (${severity}, ${link})`
      })
    return `## ${title} (\`${group}\`)\n\n${cases.join('\n\n')}`
  })
  await expectPage(
    FILE,
    withPart(page, 'cases', () => groups.join('\n\n')),
  )
})

test('docs/check-cases.md names each cause, and docs/check.md the id prefix', () => {
  const listed = [...page.matchAll(/^\| `([a-z-]+)`/gm)].map(([, cause]) => cause)
  expect(listed).toEqual(checkConclusionSchema.shape.cause.options)
  expect(readFileSync(join(docs, 'check.md'), 'utf8')).toContain(`\`${MARKED_ID}\``)
})
