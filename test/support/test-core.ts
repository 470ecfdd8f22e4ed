/** A core for tests: the real one, on real files and sockets, with a quiet log. */
import { randomBytes } from 'node:crypto'
import { createIds } from '../../src/core/base/ids.ts'
import type { Core, CoreOptions } from '../../src/core/app/core.ts'
import { createCore } from '../../src/core/app/app.ts'
import type { Deps } from '../../src/core/base/deps.ts'
import { systemClock } from '../../src/core/base/system-clock.ts'
import { createFileBackend } from '../../src/core/hooks/vault.ts'
import { createClient, type Client } from '../../src/shared/rpc/client.ts'
import { createMemoryPair } from '../../src/shared/rpc/transport.ts'
import { SHARED_BUILD } from './built-cli.ts'

/** The built threads if the test run has set them, which start in a fifth of the time; else the threads of the sources. */
function testWorkers(): Deps['workers'] {
  const built = process.env[SHARED_BUILD]
  if (built !== undefined)
    return {
      writer: new URL('writer.js', built),
      reader: new URL('reader.js', built),
      search: new URL('search.js', built),
      diagnosis: new URL('diagnosis.js', built),
      shrink: new URL('shrink.js', built),
    }
  return {
    writer: new URL('../../src/core/store/writer-thread.ts', import.meta.url),
    reader: new URL('../../src/core/store/reader-thread.ts', import.meta.url),
    search: new URL('../../src/core/store/search/search-thread.ts', import.meta.url),
    diagnosis: new URL('../../src/core/signature/diagnosis-thread.ts', import.meta.url),
    shrink: new URL('../../src/core/sending/shrink-thread.ts', import.meta.url),
  }
}

/** The dependencies of a core in a folder; parts can be replaced. */
export function testDeps(
  dataFolder: string,
  replaced: Partial<Deps> = {},
): Deps & { readonly bugs: unknown[] } {
  const bugs: unknown[] = []
  return {
    version: '0.0.0-test',
    host: 'loopback',
    dataFolder,
    clock: systemClock,
    ids: createIds(systemClock, (count) => randomBytes(count)),
    randomBytes: (count) => randomBytes(count),
    secretBackends: (folder) =>
      Promise.resolve([createFileBackend(folder, (count) => randomBytes(count))]),
    log: {
      info: () => undefined,
      warn: () => undefined,
      bug(error) {
        bugs.push(error)
        return 'test'
      },
    },
    workers: testWorkers(),
    ...replaced,
    bugs,
  }
}

export interface TestCore {
  readonly core: Core
  readonly client: Client
  readonly dataFolder: string
  readonly caFile: string
  /** `https://127.0.0.1:PORT` of the receiver. */
  readonly receiver: string
  readonly bugs: readonly unknown[]
  stop(): Promise<void>
}

export interface TestCoreOptions {
  /** A folder that exists. */
  readonly dataFolder: string
  readonly deps?: Partial<Deps>
  readonly options?: Partial<CoreOptions>
}

/** Starts a core on free ports. Tests use `coreInFolder` of in-folder.ts, which also closes it. */
export async function startTestCore({
  dataFolder,
  deps,
  options,
}: TestCoreOptions): Promise<TestCore> {
  const filled = testDeps(dataFolder, deps)
  const core = await createCore(filled, {
    serve: { host: '127.0.0.1', receiverPort: 0, sandboxPort: 0 },
    ...options,
  })
  const [near, far] = createMemoryPair()
  const disconnect = core.connect(far)
  const status = await core.status()
  return {
    core,
    client: createClient(near),
    dataFolder,
    caFile: status.caFile,
    receiver: status.receiver.url ?? '',
    bugs: filled.bugs,
    async stop() {
      disconnect()
      await core.close()
    },
  }
}
