/** The core's dependencies in plain Node. */
import { randomBytes } from 'node:crypto'
import type { Deps } from '../core/base/deps.ts'
import { createFileLog } from '../core/app/file-log.ts'
import { createIds } from '../core/base/ids.ts'
import { systemClock } from '../core/base/system-clock.ts'
import { openSecretBackends, type OpenKeyringEntry } from '../core/hooks/keyring-backend.ts'

export interface NodeDepsOptions {
  readonly version: string
  readonly host: 'loopback' | 'command'
  readonly dataFolder: string
  /** Folder of the built workers, ending in a slash. */
  readonly workers: URL
  /** Set for a temporary data folder, whose keys must not stay in the system keyring. */
  readonly withoutKeyring?: boolean
  /** Opens an entry of the system keyring, for tests. */
  readonly openEntry?: OpenKeyringEntry
}

export function createNodeDeps({
  version,
  host,
  dataFolder,
  workers,
  withoutKeyring = false,
  openEntry,
}: NodeDepsOptions): Deps {
  return {
    version,
    host,
    dataFolder,
    clock: systemClock,
    ids: createIds(systemClock, (count) => randomBytes(count)),
    randomBytes: (count) => randomBytes(count),
    secretBackends: (folder) =>
      openSecretBackends(folder, { randomBytes, hasWindow: false, withoutKeyring, openEntry }),
    log: createFileLog({ dataFolder, randomBytes }),
    workers: {
      writer: new URL('writer.js', workers),
      reader: new URL('reader.js', workers),
      search: new URL('search.js', workers),
      diagnosis: new URL('diagnosis.js', workers),
      shrink: new URL('shrink.js', workers),
      encryption: new URL('encryption.js', workers),
    },
  }
}
