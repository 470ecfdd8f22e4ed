/**
 * No command prints terminal control characters, whatever is stored. The tests put such text
 * wherever a sender or an import can, and run every command that shows stored text.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

/** Characters that move the cursor, set a title, change direction, hide text or end a line. */
const HOSTILE = 'x\u001b[2J\u001b]0;t\u0007\u009b31m\u202e\u2066\u200b\u2028y'
/** Hostile text without characters that are invalid in a header or path. */
const HOSTILE_IN_URL = encodeURIComponent(HOSTILE)
const SECRET = 'whsec_of_the_printing_test'
/** Allowed: line breaks, tabs and our own colors. */
const allowed = /\n|\t|\u001b\[(?:0|1|3[0-3]|90)m/g

let ids: string[]

beforeAll(async () => {
  const app = await coreInFolder({ dataFolder: cli.data })
  const { client } = app
  const url = `${app.receiver}/h/one`
  await client.call('hooks.import', { event: 'transaction.auth', url, secret: SECRET })
  await client.call('sandbox.sample', {})
  const body = JSON.stringify({ name: HOSTILE, raw: '#' }).replace('#', '\u202e\u2066\u200b')
  const raw = Buffer.from(`${HOSTILE} is not JSON\r\n`)
  await app.send(url, {
    body,
    headers: [...signedHeaders(SECRET, body, url), ['X-Own', 'caf\u00e9 \u0085\u009b']],
  })
  await app.send(`${url}?q=${HOSTILE_IN_URL}`, {
    body: raw,
    headers: signedHeaders('nobody', raw, url),
  })
  const query = 'path:/h/one*'
  ids = (await client.call('deliveries.list', { query })).items.map(({ id }) => id)
  await client.call('marks.set', { ids, marks: { note: HOSTILE } })
  await client.call('views.save', { name: `stored ${HOSTILE}`, query })
  await app.stop()
})

function unprintable(text: string): string[] {
  return [...new Set(text.replaceAll(allowed, '').match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu))].map(
    (character) => JSON.stringify(character),
  )
}

/**
 * Commands by their arguments; `ID` and `OTHER` are deliveries. Any exit code is fine: errors print
 * stored text too.
 */
const commands: readonly (readonly string[])[] = [
  ['views', 'list'],
  ['views', 'list', '--json'],
  ['views', 'save', `new ${HOSTILE}`, 'is:valid'],
  ['views', 'save', `new ${HOSTILE}`, 'is:valid', '--json'],
  ['views', 'remove', `new ${HOSTILE}`],
  ['views', 'remove', `missing ${HOSTILE}`],
  ['deliveries'],
  ['deliveries', '--json'],
  ['deliveries', '--view', `stored ${HOSTILE}`],
  ['deliveries', `body:${HOSTILE}`],
  ['show', 'ID'],
  ['show', 'OTHER'],
  ['show', 'ID', '--json'],
  ['show', 'ID', '--body'],
  ['show', 'OTHER', '--body'],
  ['show', 'ID', '--attempts', '--lifecycle'],
  ['show', `missing ${HOSTILE}`],
  ['compare', 'ID', 'OTHER'],
  ['compare', 'ID', 'OTHER', '--json'],
  ['verify', '--delivery', 'OTHER'],
  ['verify', '--delivery', 'OTHER', '--json'],
  ['export'],
  ['export', '--include-secrets'],
  ['export', '--format', 'har'],
  ['export', '--format', 'curl'],
  ['export', '--format', 'curl', '--include-secrets'],
  ['hooks', 'list'],
  ['hooks', 'list', '--json'],
  ['hooks', 'env'],
  ['hooks', 'remove', `missing ${HOSTILE}`],
  ['environments', 'list'],
  ['environments', 'use', HOSTILE],
  ['environments', 'remove', HOSTILE],
  ['replay', 'ID', '--to', `http://127.0.0.1:9/${HOSTILE}`],
  ['replay', '--list'],
  ['forward', '--list'],
  ['sandbox', 'list'],
  ['settings'],
  ['flow', 'list'],
  ['flow', 'run', `missing ${HOSTILE}`],
  ['mark', 'ID', '--note', HOSTILE],
  ['delete', `missing ${HOSTILE}`],
  ['check', `http://127.0.0.1:9/${HOSTILE}`, '--secret', SECRET, '--only', 'first-delivery'],
  ['trigger', HOSTILE],
  ['doctor'],
  [HOSTILE],
  ['show', `--${HOSTILE}`],
]

test.each(commands)('%s %s %s %s prints no terminal control characters', async (...given) => {
  const args = given.filter((word): word is string => typeof word === 'string')
  const [id = '', other = ''] = ids
  const named = args.map((word) => (word === 'ID' ? id : word === 'OTHER' ? other : word))
  const ran = await cli.given({ isTerminal: true }).run`${named}`
  expect(ran.stdout.length + ran.stderr.length).toBeGreaterThan(0)
  expect({ stdout: unprintable(String(ran.stdout)), stderr: unprintable(ran.stderr) }).toEqual({
    stdout: [],
    stderr: [],
  })
})

test('stored text is escaped in a terminal and exact in a pipe or file', async () => {
  const [, id = ''] = ids
  expect(String((await cli.given({ isTerminal: true }).run`show ${id} --body`).stdout)).toContain(
    String.raw`\u202e\u2066\u200b`,
  )
  expect(String((await cli.run`show ${id} --body`).stdout)).toContain('\u202e\u2066\u200b')
  const piped = await cli.run`export --include-secrets`
  expect(piped.text).toContain('\u202e\u2066\u200b')
  const file = join(cli.folder, 'printed.jsonl')
  await cli.run`export --include-secrets -o ${file}`
  expect(readFileSync(file).equals(piped.stdout)).toBe(true)
})
