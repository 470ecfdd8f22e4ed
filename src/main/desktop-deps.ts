/** The core's dependencies in Electron. */
import { randomBytes } from 'node:crypto'
import type { Deps } from '../core/base/deps.ts'
import { createIds } from '../core/base/ids.ts'
import { systemClock } from '../core/base/system-clock.ts'
import { openSecretBackends, type OpenKeyringEntry } from '../core/hooks/vault.ts'

interface DesktopDepsOptions extends Pick<Deps, 'version' | 'dataFolder' | 'workers' | 'log'> {
  /** For tests: opens an entry of the system keyring. */
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
