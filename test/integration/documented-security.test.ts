/**
 * Electron's security checklist in docs/security.md: each row names tests that exist, and the
 * settings that no app can show at run time.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

function checklist(): string[][] {
  const page = readFileSync('docs/security.md', 'utf8')
  const [, after = ''] = page.split("## Electron's security checklist")
  const [section = ''] = after.split(/^## /m)
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

test("the table has all of Electron's recommendations, each with tests that exist", () => {
  const rows = checklist()
  expect(rows.map(([number]) => Number(number))).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  for (const [number, , , tests = ''] of rows)
    for (const named of tests.split('<br>')) {
      // The tests of another row.
      if (/^as \d+$/.test(named)) continue
      const [, file = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(named) ?? []
      expect(file, `${number}: "${named}" names a file and a test`).not.toBe('')
      const titles = [
        ...readFileSync(file, 'utf8').matchAll(/^ *(?:test\()?(['"])(.+)\1(?:,|:)/gm),
      ].map((match) => match[2])
      expect(titles, `${number}: ${file}`).toContain(title)
    }
})

test('Electron is pinned to a stable version', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    devDependencies: Record<string, string>
  }
  expect(devDependencies['electron']).toMatch(/^\d+\.\d+\.\d+$/)
})
