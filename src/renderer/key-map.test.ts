import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { code, expectParts, table } from '../../test/support/docs-tables.ts'
import { keyHeadings, keyLines } from './key-map.ts'

test('docs/shortcuts.md lists all keys', async () => {
  const sections = Object.entries(keyHeadings).map(([scope, heading]) => {
    const rows = keyLines
      .filter((line) => line.scope === scope)
      .map(({ keys, meaning }) => [keys.map(code).join(', '), meaning])
    return `## ${heading}\n\n${table(['keys', 'action'], rows)}`
  })
  const page = fileURLToPath(new URL('../../docs/shortcuts.md', import.meta.url))
  await expectParts(page, { shortcuts: sections.join('\n\n') })
})
