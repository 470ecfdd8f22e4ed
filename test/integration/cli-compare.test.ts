import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()
const { run, json } = cli

beforeAll(async () => {
  const { info } = await cli.serve()
  for (const event of ['transaction.auth', 'transaction.clearing']) {
    const url = `${info.receiver}/h/${event}`
    expect((await run`hooks import --event ${event} --url ${url} --secret whsec`).code).toBe(0)
  }
  expect((await run`trigger transaction.auth`).code).toBe(0)
  expect((await run`sandbox clock jump 84h`).code).toBe(0)
  for (let found = 0; found === 0;)
    found = (await json`deliveries event:transaction.clearing`).length
})

describe('show --lifecycle', () => {
  test('lists the events of the purchase with both times', async () => {
    const shown = await run`show latest:transaction.auth --lifecycle`
    expect(shown.code).toBe(0)
    expect(shown.text).toMatch(/^Purchase [0-9a-f-]{36}\n/)
    expect(shown.text).toMatch(/^Auth .*happened .*received .*1 delivery/m)
    expect(shown.text).toMatch(/^Clearing .*happened .*received .*1 delivery/m)
  })

  test('is a field of the JSON only if asked for', async () => {
    const [shown] = await json`show latest:transaction.auth --lifecycle`
    expect(shown?.['lifecycle']).toMatchObject({ stages: [{ name: 'Auth' }, { name: 'Clearing' }] })
    expect((await json`show latest`)[0]).not.toHaveProperty('lifecycle')
  })
})

test('show --attempts lists each attempt with its response and what happened next', async () => {
  const shown = await run`show latest:transaction.auth --attempts`
  expect(shown.text).toMatch(/^#1 .* valid +200 .*\n {2}Acknowledged\. No retry expected\./)
  expect(await json`show latest:transaction.auth --attempts`).toMatchObject([
    { attempts: [{ gapMs: null, checks: [], row: { attempt: 1 } }] },
  ])
})

describe('compare', () => {
  test('compares a clearing with its auth by default, the auth first', async () => {
    const compared = await run`compare latest:transaction.clearing`
    expect(compared.code).toBe(1)
    expect(compared.text).toMatch(/^--- transaction\.auth .*\n\+\+\+ transaction\.clearing /)
    expect(compared.text).toContain(
      'Body: 1 changed, 1 ignored\n- cleared: false\n+ cleared: true\n  1 ignored: updated\n',
    )
    expect(compared.text).toMatch(/Headers: No differences \(\d ignored\)/)
    expect(compared.text).toMatch(
      /Signature inputs\n {2}body: [\d,]+ \| [\d,]+ bytes, first difference at byte [\d,]+\n {2}URL: https:.*auth \| https:.*clearing/,
    )
  })

  test('prints differences and ignored fields as JSON', async () => {
    const { code, json: lines } =
      await run`compare latest:transaction.auth latest:transaction.clearing --json`
    expect(code).toBe(1)
    const [compared] = lines()
    expect(compared).toMatchObject({
      same: false,
      body: { by: 'structure', truncated: false, counts: { changed: 1, ignored: 1 } },
    })
    expect(compared?.['body']).toMatchObject({
      differences: [
        { kind: 'changed', path: 'updated', ignored: true },
        {
          kind: 'changed',
          path: 'cleared',
          left: 'false',
          right: 'true',
          note: null,
          ignored: false,
        },
      ],
    })
  })

  test('--all ignores nothing', async () => {
    const both = ['latest:transaction.auth', 'latest:transaction.clearing']
    expect((await run`compare ${both} --all`).text).toContain('Body: 2 changed\n')
  })

  test('exits with 0 if nothing differs, also from a file', async () => {
    expect((await run`compare latest latest`).code).toBe(0)
    const file = join(cli.data, 'body.json')
    await writeFile(file, (await run`show latest --body`).stdout)
    expect((await run`compare latest @${file}`).code).toBe(0)
    await writeFile(file, 'no JSON')
    expect(await run`compare latest @${file}`).toMatchObject({ code: 1 })
  })
})
