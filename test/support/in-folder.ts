/**
 * A core, a store, accounts or a database in a folder, closed when the test ends, or the file if
 * opened in a `beforeAll`.
 */
import type { Deps, Log } from '../../src/core/base/deps.ts'
import { createEventHub } from '../../src/core/base/event-hub.ts'
import { openEnvironments } from '../../src/core/hooks/environments.ts'
import { openHooks } from '../../src/core/hooks/hooks.ts'
import { Registry } from '../../src/core/hooks/registry.ts'
import { createVault, type Vault } from '../../src/core/hooks/vault.ts'
import { openStore, type Store, type StoreDeps } from '../../src/core/store/store.ts'
import { closeAtEnd, temporaryFolder } from './temporary-folder.ts'
import { startTestCore, testDeps, type TestCore, type TestCoreOptions } from './test-core.ts'
import { openTestDatabase, type TestDatabase } from './test-database.ts'

export async function coreInFolder({
  dataFolder = temporaryFolder(),
  ...rest
}: Partial<TestCoreOptions> = {}): Promise<TestCore> {
  const core = await startTestCore({ dataFolder, ...rest })
  closeAtEnd(core.stop)
  return core
}

/** Options like those of a command, which also doesn't open the search index. */
export const BRIEF = { isBrief: true }
/** Options with writer and readers in threads, whose start takes longer than most tests. */
export const THREADS = { withoutThreads: false }

/** Opens a store without a core. It writes and reads in this thread, except with `THREADS`. */
export async function storeInFolder(
  dataFolder = temporaryFolder(),
  replaced: Partial<StoreDeps> = {},
): Promise<Store> {
  const { workers, log }: { workers: StoreDeps['workers']; log: Log } = testDeps(dataFolder)
  const store = await openStore({
    dataFolder,
    workers,
    log,
    withoutThreads: true,
    lenientEnvironments: () => [],
    onDescribed: () => undefined,
    onStatus: () => undefined,
    ...replaced,
  })
  let closing: Promise<void> | null = null
  const close = () => (closing ??= store.close())
  closeAtEnd(close)
  return { ...store, close }
}

/** Opens environments and hooks of a folder, with the key in the folder, and its store. */
export async function accountsInFolder(
  dataFolder = temporaryFolder(),
  deps = testDeps(dataFolder),
) {
  const store = await storeInFolder(dataFolder, { ...BRIEF, log: deps.log })
  const vault = createVault(await deps.secretBackends(dataFolder))
  return { store, ...(await accountsInStore(store, vault, deps)) }
}

export async function accountsInStore(
  store: Pick<Store, 'read' | 'write'>,
  vault: Vault,
  { clock, ids, log, randomBytes }: Pick<Deps, 'clock' | 'ids' | 'log' | 'randomBytes'>,
  hub = createEventHub(),
) {
  const registry = new Registry()
  const environments = await openEnvironments({
    ...{ store, vault, clock, log, hub, randomBytes },
    forgetConsent: () => Promise.resolve(),
  })
  const hooks = await openHooks({ store, vault, environments, registry, clock, ids, log, hub })
  return { environments, registry, hooks }
}

/**
 * Opens a database without threads.
 * @param copyOf Folder whose database, which must be closed, is copied first.
 */
export function databaseInFolder({ copyOf }: { readonly copyOf?: string } = {}): TestDatabase {
  const database = openTestDatabase(temporaryFolder(), copyOf)
  closeAtEnd(database.close)
  return database
}
