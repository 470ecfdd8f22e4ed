/** The core's dependencies in Electron. */
import { randomBytes } from 'node:crypto'
import type { Deps } from '../core/base/deps.ts'
import { createIds } from '../core/base/ids.ts'
import { systemClock } from '../core/base/system-clock.ts'
import { openSecretBackends, type OpenKeyringEntry } from '../core/hooks/keyring-backend.ts'

interface DesktopDepsOptions extends Pick<Deps, 'version' | 'dataFolder' | 'workers' | 'log'> {
  readonly openEntry?: OpenKeyringEntry
}

export function createDesktopDeps(options: DesktopDepsOptions): Deps {
  const { version, dataFolder, workers, log, openEntry } = options
  return {
    version,
    host: 'electron',
    dataFolder,
    clock: systemClock,
    ids: createIds(systemClock, (count) => randomBytes(count)),
    randomBytes: (count) => randomBytes(count),
    secretBackends: (folder) =>
      openSecretBackends(folder, { randomBytes, hasWindow: true, openEntry }),
    log,
    workers,
  }
}
