/** What the sandbox knows: held in memory, and stored when it changes. */
import type { Mode } from '../../shared/model/delivery.ts'
import type { Log } from '../base/deps.ts'
import { recordSchemas, type RecordKind, type RecordOf } from './records.ts'

export interface Objects {
  /** For one mode or both, in order of creation. */
  all<K extends RecordKind>(kind: K, mode?: Mode): RecordOf<K>[]
  /** Undefined also for an object of the other mode: test and live are separate (section 1). */
  find<K extends RecordKind>(kind: K, id: string, mode: Mode): RecordOf<K> | undefined
  modeOf(kind: RecordKind, id: string): Mode | undefined
  secretOf(kind: RecordKind, id: string): string | undefined
  put<K extends RecordKind>(kind: K, mode: Mode, data: RecordOf<K>, secret?: string): Promise<void>
  remove(kind: RecordKind, id: string): Promise<void>
}

interface Entry {
  readonly mode: Mode
  readonly data: unknown
  readonly secret: string | undefined
}

/** Reads all stored records. One that this version can't read stays in storage, is logged, and isn't used. */
export async function loadObjects(storage: SandboxStorage, log: Log): Promise<Objects> {
  const kinds = new Map<RecordKind, Map<string, Entry>>()
  const entries = (kind: RecordKind) => {
    const known = kinds.get(kind) ?? new Map<string, Entry>()
    kinds.set(kind, known)
    return known
  }
  for (const record of await storage.load()) {
    const parsed = isKind(record.kind) ? recordSchemas[record.kind].safeParse(record.data) : null
    if (parsed?.success === true && isKind(record.kind)) {
      entries(record.kind).set(record.id, {
        mode: record.mode,
        data: parsed.data,
        secret: record.secret,
      })
    } else {
      log.warn("A sandbox record can't be read and is skipped", {
        kind: record.kind,
        id: record.id,
      })
    }
  }
  // Values in the map were validated by their kind's schema on loading, or by the type of `put`.
  const data = <K extends RecordKind>(entry: Entry) => entry.data as RecordOf<K>
  return {
    all: <K extends RecordKind>(kind: K, mode?: Mode) =>
      [...entries(kind).values()]
        .filter((entry) => mode === undefined || entry.mode === mode)
        .map((entry) => data<K>(entry)),
    find<K extends RecordKind>(kind: K, id: string, mode: Mode) {
      const entry = entries(kind).get(id)
      return entry?.mode === mode ? data<K>(entry) : undefined
    },
    modeOf: (kind, id) => entries(kind).get(id)?.mode,
    secretOf: (kind, id) => entries(kind).get(id)?.secret,
    async put(kind, mode, record, secret) {
      const kept = secret ?? entries(kind).get(record.id)?.secret
      await storage.put({
        kind,
        id: record.id,
        mode,
        data: { ...record },
        ...(kept === undefined ? {} : { secret: kept }),
      })
      entries(kind).set(record.id, { mode, data: record, secret: kept })
    },
    async remove(kind, id) {
      await storage.delete(kind, id)
      entries(kind).delete(id)
    },
  }
}

function isKind(kind: string): kind is RecordKind {
  return Object.hasOwn(recordSchemas, kind)
}

// Stores the sandbox's objects, hooks and pending notifications across restarts.

/** JSON that a storage accepts. */
type JsonObject = { readonly [key: string]: unknown }

/** `kind` and `id` identify a record. `data` is JSON. `secret` is separate, so that it can be encrypted at rest. */
export interface SandboxRecord {
  readonly kind: string
  readonly id: string
  readonly mode: Mode
  readonly data: JsonObject
  readonly secret?: string
}

export type SandboxStorage = ReturnType<typeof memoryStorage>

/** A storage without persistence, for tests. */
export function memoryStorage(records: readonly SandboxRecord[] = []) {
  const kept = new Map(
    records.map((record) => [`${record.kind} ${record.id}`, structuredClone(record)]),
  )
  return {
    /** All records, in the order in which they were first stored. */
    load: (): Promise<readonly SandboxRecord[]> =>
      Promise.resolve([...kept.values()].map((record) => structuredClone(record))),
    /** Adds the record, or replaces an existing one of the same kind and id. */
    put(record: SandboxRecord) {
      kept.set(`${record.kind} ${record.id}`, structuredClone(record))
      return Promise.resolve()
    },
    /** Removes a record; a missing one is not an error. */
    delete(kind: string, id: string) {
      kept.delete(`${kind} ${id}`)
      return Promise.resolve()
    },
  }
}
