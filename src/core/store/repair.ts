/** Repairs a closed database: readable rows go into a new file that replaces it. */
import { closeSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import Sqlite, { type Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { byteSize } from '../../shared/text/english.ts'
import { checkPages } from './open.ts'
import { completeReplacement, finishedFileOf } from './complete-replacement.ts'
import { removeSearch, searchFileOf } from './search/open-search.ts'
import { databaseFileOf } from './database.ts'
import { isCorrupt } from './sqlite-errors.ts'
import { syncFile } from '../base/whole-files.ts'
import { openDamaged } from './damaged-file.ts'
import { recoverRows } from './recover-rows.ts'

export interface RepairReport {
  /** `sound`: no damage found, nothing changed. */
  readonly outcome: 'repaired' | 'sound'
  readonly file: string
  /** New path of the damaged file, or null. */
  readonly setAside: string | null
  /** Rows by kind; `lost` is null if it can't be counted. */
  readonly parts: readonly {
    readonly name: string
    readonly recovered: number
    readonly lost: number | null
  }[]
  /** Unreadable values with their rows, the first 1,000. */
  readonly damagedValues: readonly string[]
  /** Ids of lost deliveries, the first 1,000. */
  readonly lostDeliveries: readonly string[]
  /** Ids of deliveries without their body, the first 1,000. */
  readonly lostBodies: readonly string[]
  readonly bodiesLost: number
}

const MAX_NAMED_LOSSES = 1_000

/** Repairs the database. Throws an `AppError` without a change. */
export function repairDatabase(
  dataFolder: string,
  onProgress: (rows: number) => void = () => undefined,
): RepairReport {
  const file = databaseFileOf(dataFolder)
  const unfinished = `${file}.repairing`
  completeReplacement(file)
  checkRoom(file)
  rmSync(unfinished, { force: true })
  closeSync(openSync(unfinished, 'wx', 0o600))
  try {
    const source = openDamaged(file)
    const target = new Sqlite(unfinished)
    let recovered: ReturnType<typeof recoverRows>
    try {
      recovered = recoverRows(source, target, file, onProgress)
    } finally {
      target.close()
      source.close()
    }
    const { parts, damagedValues, lostDeliveries, lostBodies } = recovered
    const report = {
      file,
      parts,
      damagedValues: damagedValues.slice(0, MAX_NAMED_LOSSES),
      lostDeliveries: lostDeliveries.slice(0, MAX_NAMED_LOSSES),
      lostBodies: lostBodies.slice(0, MAX_NAMED_LOSSES),
      bodiesLost: lostBodies.length,
    }
    const isSound =
      lostBodies.length === 0 &&
      damagedValues.length === 0 &&
      parts.every(({ lost }) => lost === 0) &&
      arePagesSound(file)
    if (isSound) return { outcome: 'sound', setAside: null, ...report }
    syncFile(unfinished)
    // Removed first: after a crash, the next start would search the new file with it.
    removeSearch(searchFileOf(dataFolder))
    renameSync(unfinished, finishedFileOf(file, 'repaired'))
    const setAside = completeReplacement(file)
    return { outcome: 'repaired', setAside, ...report }
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function checkRoom(file: string): void {
  const needed = [file, `${file}-wal`].reduce(
    (sum, name) => sum + (statSync(name, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  const { bavail, bsize } = statfsSync(file)
  if (bavail * bsize < needed)
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The repair needs ${byteSize(needed)} of free disk space, but only ${byteSize(bavail * bsize)} is free. Nothing was changed. Free some space, then try again.`,
    )
}

function arePagesSound(file: string): boolean {
  let db: Database | undefined
  try {
    db = new Sqlite(file, { readonly: true })
    checkPages(db)
    return true
  } catch (error) {
    if (isCorrupt(error)) return false
    throw error
  } finally {
    db?.close()
  }
}
