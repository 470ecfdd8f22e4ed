import { beforeAll, expect, test } from 'vitest'
import { sharePages, type SharedPage } from '../../src/shared/import-export/export-pages.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { imported } from '../support/export-import.ts'
import type { TestCore } from '../support/test-core.ts'

const request = { query: '', seqs: null, preview: false, keep: [], replace: [], shiftMs: 0 }

async function shared(client: Client, options: Partial<typeof request> = {}) {
  const pages: SharedPage[] = []
  for await (const page of sharePages(client, { ...request, ...options }, new AbortController().signal))
    pages.push(page)
  return { text: pages.map(({ text }) => text).join(''), last: pages.at(-1)! }
}

let from: TestCore

beforeAll(async () => {
  from = await coreInFolder()
  await from.call('sandbox.sample', {})
})

test('smoke', async () => {
  const { text, last } = await shared(from.client)
  console.log(text.slice(0, 3000), JSON.stringify(last.report, null, 1))
  const to = await coreInFolder()
  console.log(await imported(to.client, text))
  const d = await to.call('deliveries.get', { id: 'latest' })
  console.log(d)
  console.log(Buffer.from((await to.call('bodies.read', { id: d.id, offset: 0, length: 5000 })).base64, 'base64').toString())
  console.log((await to.call('deliveries.signature', { id: d.id })))
  expect(from.bugs).toEqual([])
})
