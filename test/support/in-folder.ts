/**
 * A core, a store, accounts or a database in a folder: by default a new, temporary one. Each is closed when the test ends, or the
 * file if opened in a `beforeAll`. A test can also close it earlier, for example before a restart.
 */
import type { Deps, Log } from '../../src/core/base/deps.ts'
import { createEventHub } from '../../src/core/base/event-hub.ts'
import { openEnvironments } from '../../src/core/hooks/environments.ts'
import { openHooks } from '../../src/core/hooks/hooks.ts'
import { createRegistry } from '../../src/core/hooks/registry.ts'
import { createVault, type Vault } from '../../src/core/hooks/vault.ts'
import { openStore, type Store, type StoreDeps } from '../../src/core/store/store.ts'
import { closeAtEnd, temporaryFolder } from './temporary-folder.ts'
import { startTestCore, testDeps, type TestCore, type TestCoreOptions } from './test-core.ts'
import { openTestDatabase, type TestDatabase } from './test-database.ts'

/** A core on free ports; clock, IDs and settings can be replaced. */
export async function coreInFolder({
  dataFolder = temporaryFolder(),
  ...rest
}: Partial<TestCoreOptions> = {}): Promise<TestCore> {
  const core = await startTestCore({ dataFolder, ...rest })
  closeAtEnd(core.stop)
  return core
}

/** Like the store of a command, which also doesn't open the search index. */
export const BRIEF = { isBrief: true }
/** With the writer and the readers in threads, as while Countersign serves: starting them takes longer than most tests. */
export const THREADS = { withoutThreads: false }

/** A store without a core around it, on a real file. It writes and reads in this thread, except with `THREADS`. */
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

/** The environments and hooks of a folder, with their secrets, next to its store; the key is in the folder, as hosts store it. */
export async function accountsInFolder(
  dataFolder = temporaryFolder(),
  deps = testDeps(dataFolder),
) {
  const store = await storeInFolder(dataFolder, { ...BRIEF, log: deps.log })
  const vault = createVault(await deps.secretBackends(dataFolder))
  return { store, ...(await accountsInStore(store, vault, deps)) }
}

/** The environments and hooks of an open store, without a sandbox. */
export async function accountsInStore(
  store: Pick<Store, 'read' | 'write'>,
  vault: Vault,
  { clock, ids, log, randomBytes }: Pick<Deps, 'clock' | 'ids' | 'log' | 'randomBytes'>,
  hub = createEventHub(),
) {
  const registry = createRegistry()
  const environments = await openEnvironments({
    ...{ store, vault, clock, log, hub, randomBytes },
    forgetConsent: () => Promise.resolve(),
  })
  const hooks = await openHooks({ store, vault, environments, registry, clock, ids, log, hub })
  return { environments, registry, hooks }
}

/** A database without threads. With `copyOf`, it starts as a copy of that folder's database, which must be closed. */
export function databaseInFolder({ copyOf }: { readonly copyOf?: string } = {}): TestDatabase {
  const database = openTestDatabase(temporaryFolder(), copyOf)
  closeAtEnd(database.close)
  return database
}
