/** Help names pages of the docs by their path in the package, and says where the package is. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { commandsBelow, loadProgram } from '../support/cli-program.ts'

const root = join(import.meta.dirname, '../..')

test('every page that help names ships in the package', async () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] }
  const shipped = files.flatMap((pattern) => globSync(pattern, { cwd: root }))
  const commands = commandsBelow(await loadProgram())
  const named = commands.flatMap(
    ({ command }) => command.helpInformation().match(/docs\/[a-z-]+\.md/g) ?? [],
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((page) => !shipped.includes(page))).toEqual([])
})

test.each([
  ['deliveries', true],
  ['backup', false],
])('the help of %s says where the docs are: %j', async (name, isSaid) => {
  let help = ''
  const program = await loadProgram({
    build: pathToFileURL(join(root, 'out/node/')),
    writeOut: (text) => (help += text),
  })
  await expect(program.parseAsync([name, '--help'], { from: 'user' })).rejects.toThrow()
  expect(help).toContain(`countersign ${name}`)
  expect(help.includes(`Documentation: ${join(root, 'docs')}`)).toBe(isSaid)
})
