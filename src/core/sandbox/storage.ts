/** Where the sandbox keeps its objects, hooks and pending notifications, so that they outlive a restart. */
import type { Mode } from '../../shared/model/delivery.ts'

/** JSON as a storage takes it. */
export type JsonObject = { readonly [key: string]: unknown }

/** `kind` and `id` name a record. `data` is JSON. `secret` is kept apart from it, so that it can be sealed at rest. */
export interface SandboxRecord {
  readonly kind: string
  readonly id: string
  readonly mode: Mode
  readonly data: JsonObject
  readonly secret?: string
}

export interface SandboxStorage {
  /** Everything kept, in the order in which it was first put. */
  load(): Promise<readonly SandboxRecord[]>
  /** Adds the record, or takes the place of the one of the same kind and id. */
  put(record: SandboxRecord): Promise<void>
  /** Removes a record; one that is not there is no error. */
  delete(kind: string, id: string): Promise<void>
}

/** A storage that forgets: for tests. */
export function memoryStorage(records: readonly SandboxRecord[] = []): SandboxStorage {
  const kept = new Map(records.map((record) => [`${record.kind} ${record.id}`, structuredClone(record)]))
  return {
    load: () => Promise.resolve([...kept.values()].map((record) => structuredClone(record))),
    put(record) {
      kept.set(`${record.kind} ${record.id}`, structuredClone(record))
      return Promise.resolve()
    },
    delete(kind, id) {
      kept.delete(`${kind} ${id}`)
      return Promise.resolve()
    },
  }
}
