/** Fills the core's needs from Electron: its key store for secrets where there is a real one, plain Node for the rest. */
import { randomBytes } from 'node:crypto'
import type { SafeStorage } from 'electron'
import type { Deps, WorkerEntries } from '../core/base/deps.ts'
import { createFileLog } from '../core/app/file-log.ts'
import { createIds } from '../core/base/ids.ts'
import { systemClock } from '../core/base/system-clock.ts'
import { createFileBackend } from '../core/hooks/file-backend.ts'
import { createSafeStorageBackend } from './secrets.ts'

export interface DesktopDepsOptions {
  readonly version: string
  readonly dataFolder: string
  readonly workers: WorkerEntries
  readonly safeStorage: SafeStorage
  readonly platform: NodeJS.Platform
}

/** Call after the app is ready: the key store is not known before. */
export function createDesktopDeps(options: DesktopDepsOptions): Deps {
  const { version, dataFolder, workers, safeStorage, platform } = options
  return {
    version,
    host: 'electron',
    dataFolder,
    clock: systemClock,
    ids: createIds(systemClock, (count) => randomBytes(count)),
    randomBytes: (count) => randomBytes(count),
    async secretBackends(folder) {
      const best = await createSafeStorageBackend(safeStorage, platform)
      // The file stays even beside a key store: it opens what `countersign serve` sealed in the same folder.
      const file = createFileBackend(folder, (count) => randomBytes(count))
      return best === null ? [file] : [best, file]
    },
    log: createFileLog({ dataFolder, randomBytes }),
    workers,
  }
}
