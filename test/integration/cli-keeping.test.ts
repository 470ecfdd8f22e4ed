import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeInFolder } from '../support/in-folder.ts'
import { captureOf } from '../support/test-store.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'
import { cliOfFile, type Serving } from './cli-fixture.ts'

const cli = cliOfFile()
const { run, json } = cli

let ids: string[]
const stored = async (query = '') => (await json`deliveries ${query}`).map(({ id }) => id)

beforeAll(async () => {
  await mkdir(cli.data, { recursive: true })
  const store = await storeInFolder(cli.data)
  const captures = Array.from({ length: 6 }, (_, index) =>
    captureOf(`{"n":${index},"filler":"${'x'.repeat(60_000)}"}`),
  )
  for (const capture of captures) await store.capture(capture)
  await store.settled()
  await store.close()
  ids = captures.map(({ row }) => row.id)
})

describe('without Countersign running', () => {
  test('commands that only use the store start no threads', async () => {
    let threads = 0
    const count = () => threads++
    process.on('worker', count)
    await stored()
    await run`mark latest --pin`
    await run`mark latest --unpin`
    process.off('worker', count)
    expect(threads).toBe(0)
  })

  test('mark sets and shows pin and note', async () => {
    const marked = await run`mark ${ids[0] ?? ''} latest --pin --note 'ask Nadia' --json`
    expect([marked.code, marked.json()]).toEqual([0, [{ count: 2 }]])
    expect(await stored('is:pinned note:nadia')).toEqual([ids[5], ids[0]])
    expect((await json`show latest`)[0]).toMatchObject({
      pinned: true,
      note: 'ask Nadia',
    })
    expect((await run`mark latest --unpin --note ''`).text).toBe('Marked 1 delivery.')
    expect((await json`show latest`)[0]).toMatchObject({
      pinned: false,
      note: null,
    })
  })

  test('delete takes IDs directly, a query only with --yes, and keeps pinned deliveries', async () => {
    const deleted = await run`delete ${ids[1] ?? ''} ${ids[0] ?? ''} --json`
    expect([deleted.code, deleted.json()]).toEqual([
      0,
      [{ deleted: 1, matched: 1, spared: 1, possible: 0 }],
    ])
    const asked = await run`delete --query ''`
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringMatching(/would permanently delete 4 deliveries.*--yes/s),
    ])
    expect(await stored()).toHaveLength(5)
    expect((await run`delete ${ids[1] ?? ''}`).code).toBe(3)
    expect((await run`delete --query is:pinned --yes`).code).toBe(1)
    expect((await run`delete --query -is:pinned --yes`).text).toBe('Deleted 4 deliveries.')
    expect(await stored()).toEqual([ids[0]])
  })

  test('doctor --vacuum frees disk space', async () => {
    const [done] = await json`doctor --vacuum`
    expect(done?.['vacuum']).toEqual({
      freed: expect.toSatisfy((freed: number) => freed > 200_000),
      database: statSync(databaseFileOf(cli.data)).size,
    })
    expect(await stored()).toEqual([ids[0]])
    expect((await run`doctor --vacuum`).text).toMatch(/^Freed 0 B. The database is now /)
  })

  test('doctor --vacuum creates nothing in an unused folder', async () => {
    const unused = cli.newDataFolder()
    const [done] = (await cli.given({ data: unused }).run`doctor --vacuum --json`).json()
    expect(done).toEqual({ checks: [expect.anything(), expect.anything()] })
    expect(existsSync(unused)).toBe(false)
  })
})

describe('with Countersign running', () => {
  let serving: Serving
  beforeAll(async () => {
    serving = await cli.serve()
  })
  afterAll(async () => {
    expect(await serving.stop()).toBe(0)
  })

  test('settings changes and removes limits one by one', async () => {
    const set = await run`settings --keep-days 30 --keep-size 2GiB --json`
    expect(set.json()[0]).toMatchObject({
      retention: { days: 30, deliveries: null, bytes: 2_147_483_648 },
    })
    const changed = await run`settings --keep-deliveries 1000 --keep-days off`
    expect(changed.text).toMatch(
      /max age +no limit\nmax deliveries +1,000 deliveries\nmax size +2,147,483,648 bytes/,
    )
    const { receiver, sandbox } = serving.info
    expect(changed.text).toContain(`4783 (now ${new URL(receiver).port})\n`)
    expect(changed.text).toContain(`4784 (now ${new URL(sandbox).port})\n`)
  })
})
