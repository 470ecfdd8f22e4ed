/** The database file of a data folder, and its connections, branded by what they may do. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'

declare const readable: unique symbol
declare const writable: unique symbol
export type ReadableDb = Database & { readonly [readable]: true }
/** Connection that writes; its transactions take the write lock at their start. */
export type WritableDb = ReadableDb & { readonly [writable]: true }

export const DATABASE_HEADER_BYTES = 100

export const READER_CACHE_KIB = 2_048

export function databaseFileOf(dataFolder: string): string {
  return join(dataFolder, 'countersign.db')
}

export function hasDatabase(dataFolder: string): boolean {
  return statSync(databaseFileOf(dataFolder), { throwIfNoEntry: false }) !== undefined
}
