import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { captureOf } from '../../../../test/support/test-store.ts'
import { EVERYTHING } from '../../../shared/query/query.ts'
import { prepareIngest } from '../ingest-repo.ts'
import { openForReading, openForWriting, type ReadableDb } from '../open.ts'
import { anchorsOf } from './finder.ts'

it('anchors, total and newest are from one moment, while deliveries keep arriving', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'test.db')
  const writer = openForWriting(file)
  const ingest = prepareIngest(writer)
  let seq = 0
  const store = () => {
    seq++
    const { row } = captureOf('x', { id: `id-${seq}` })
    ingest({ rows: [{ ...row, seq, keptBytes: 0 }], bodies: new ArrayBuffer(0) })
  }
  for (let count = 0; count < 25; count++) store()

  const reader = openForReading(file)
  // Another delivery is committed before each of the reader's statements.
  const disturbed = new Proxy(reader, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]): unknown => {
        if (name === 'prepare') store()
        return value.apply(target, args)
      }
    },
  }) satisfies ReadableDb
  try {
    const { total, anchors, newest } = anchorsOf(disturbed, {
      query: EVERYTHING,
      pageSize: 10,
      skip: 0,
      budgetMs: 1_000,
    })
    expect({ total, first: anchors[0], pages: anchors.length }).toEqual({
      total: newest,
      first: newest,
      pages: Math.ceil(newest / 10),
    })
  } finally {
    reader.close()
    writer.close()
  }
})
