/**
 * A core of a data folder in a separate process: `node server.ts FOLDER`. Its first line on stdout
 * is its URL. Each line on stdin is a request: `search` and `rest` start and stop continuous
 * searching, `memory` returns the number not yet indexed and of searches, and it shuts down when
 * stdin closes.
 */
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { limitYoungGeneration } from '../../../src/core/base/threads/memory.ts'
import { startTestCore } from '../../support/test-core.ts'

export interface ServedLine {
  readonly port: number
  readonly caFile: string
}

/** Typical searches: common and rare words, prefixes, fields, and combinations. */
const SEARCHES = [
  'coffee',
  'is:invalid',
  'card.scheme:amex coffee',
  'event:transaction.refund',
  'nosuchword',
  'caf',
  'london -is:valid',
  '"green grocer"',
  'status:500..599',
  't',
]
/** Bars of a year each, so every match is counted. */
const ALL_TIME = { start: 0, width: 365 * 86_400_000, bins: 97 }
/** A person looks at the results for a moment. */
const CHECK_MS = 50

const [folder = ''] = process.argv.slice(2)
// Like `serve`.
limitYoungGeneration()
const { client, core, receiver, caFile, stop } = await startTestCore({ dataFolder: folder })
let searching = false
let searches = 0

/**
 * Searches as the window does: a page, the number of rows, and the first piece of the timeline and
 * of the statistics.
 */
async function search(): Promise<void> {
  while (searching) {
    const query = SEARCHES[searches++ % SEARCHES.length]!
    const { rows } = await client.call('deliveries.page', { query, limit: 100 })
    await client.call('deliveries.seqs', { query, limit: 500 })
    await client.call('timeline.read', { query, ...ALL_TIME })
    await client.call('statistics.read', { query })
    if (rows.length > 0) await delay(CHECK_MS)
  }
}

process.stdout.write(
  `${JSON.stringify({ port: Number(new URL(receiver).port), caFile } satisfies ServedLine)}\n`,
)
for await (const wish of createInterface({ input: process.stdin })) {
  if (wish === 'search') {
    searching = true
    void search()
  } else if (wish === 'rest') searching = false
  else if (wish === 'memory') {
    const { store } = await core.status()
    process.stdout.write(`${JSON.stringify({ left: store.search.left, searches })}\n`)
  }
}
searching = false
await stop()
process.exit(0)
