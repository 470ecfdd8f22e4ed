/** Names of composed requests. */
import type { ReadableDb, WritableDb } from './database.ts'
import { findNamed } from './find-delivery.ts'
import { setMarks } from './marks.ts'

export interface RequestNaming {
  readonly seq: number
  readonly name: string
  /** Change if another request has the name: none, move it here, or add a number here. */
  readonly ifTaken: 'keep' | 'move' | 'number'
}

/**
 * Names and pins a composed request, and returns its name, or null if another keeps it. A deleted
 * request loses its name to a new one.
 */
export function nameRequest(db: WritableDb, { seq, name, ifTaken }: RequestNaming): string | null {
  const clear = db.prepare('UPDATE composed SET name = NULL WHERE name = ?')
  const put = db.prepare('UPDATE composed SET name = ? WHERE seq = ?')
  return db
    .transaction(() => {
      const taken = findNamed(db, name)
      if (taken !== null && taken !== seq && ifTaken === 'keep') return null
      const given = taken === null || ifTaken !== 'number' ? name : freeName(db, name)
      clear.run(given)
      put.run(given, seq)
      if (taken !== null && ifTaken === 'move')
        setMarks(db, { seqs: [taken], change: { pinned: false } })
      setMarks(db, { seqs: [seq], change: { pinned: true } })
      return given
    })
    .immediate()
}

function freeName(db: ReadableDb, name: string): string {
  let number = 2
  while (findNamed(db, `${name}-${number}`) !== null) number++
  return `${name}-${number}`
}
