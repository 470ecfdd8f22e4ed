import { expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import { migrations } from '../store/migrations.ts'
import type { Store } from '../store/store.ts'
import { dropAllWaiting } from './forward.ts'

test.each([[0], [5], [2_000], [4_001]])(
  'all of %i pending deliveries are discarded and counted',
  async (count) => {
    let left = count
    let most = 0
    const write = ((name: string, drop: { id: string; reason: string; most: number }) => {
      expect([name, drop.id, drop.reason]).toEqual(['forwardDrop', 'target', 'why'])
      const dropped = Math.min(left, drop.most)
      left -= dropped
      most = Math.max(most, dropped)
      return Promise.resolve(dropped)
    }) as Store['write']
    expect(await dropAllWaiting({ write }, 'target', 'why')).toBe(count)
    expect([left, most <= 2_000]).toEqual([0, true])
  },
)

test("a stored target that waited for a person's response gets the rule's, or goes if it has no URL", () => {
  const { db } = databaseInFolder()
  db.pragma('foreign_keys = OFF')
  const add = db.prepare<[string, string]>(
    `INSERT INTO forward_targets (id, created_at, settings, paused, temporary, since_seq) VALUES (?, 0, ?, 0, 0, 0)`,
  )
  for (const [id, url] of [
    ['sends', 'http://127.0.0.1:9/'],
    ['holds', ''],
  ] as const) {
    add.run(id, JSON.stringify({ url, answer: 'by-hand' }))
    db.prepare<[string]>(
      `INSERT INTO sends (job_id, position, delivery_seq, target, state, kind) VALUES (?, 1, 1, '', 'waiting', 'forward')`,
    ).run(id)
  }
  migrations.find(({ version }) => version === 265)?.up(db)
  expect(db.prepare('SELECT id, settings FROM forward_targets').all()).toEqual([
    { id: 'sends', settings: '{"url":"http://127.0.0.1:9/","answer":"rule"}' },
  ])
  expect(db.prepare('SELECT job_id AS id, state FROM sends ORDER BY id').all()).toEqual([
    { id: 'holds', state: 'cancelled' },
    { id: 'sends', state: 'waiting' },
  ])
})
