/** A core for tests: the real one, on real files and sockets, with a quiet log. */
import { randomBytes } from 'node:crypto'
import { createIds } from '../../src/core/base/ids.ts'
import type { CoreOptions } from '../../src/core/app/core.ts'
import { createCore } from '../../src/core/app/app.ts'
import type { Deps } from '../../src/core/base/deps.ts'
import { systemClock } from '../../src/core/base/system-clock.ts'
import { createFileBackend } from '../../src/core/hooks/file-backend.ts'
import type { InputOf } from '../../src/shared/contract/contract.ts'
import { RpcClient } from '../../src/shared/rpc/client.ts'
import { createMemoryPair } from '../../src/shared/rpc/memory-pair.ts'
import { SHARED_BUILD } from './built-cli.ts'
import { createDeliverer, signedHeaders, type Delivery } from './deliver.ts'

/** Returns the built threads, which start in a fifth of the time, or those of the sources. */
export function testWorkers(): Deps['workers'] {
  const built = process.env[SHARED_BUILD]
  if (built !== undefined)
    return {
      writer: new URL('writer.js', built),
      reader: new URL('reader.js', built),
      search: new URL('search.js', built),
      diagnosis: new URL('diagnosis.js', built),
      shrink: new URL('shrink.js', built),
      encryption: new URL('encryption.js', built),
    }
  return {
    writer: new URL('../../src/core/store/writer-thread.ts', import.meta.url),
    reader: new URL('../../src/core/store/reader-thread.ts', import.meta.url),
    search: new URL('../../src/core/store/search/search-thread.ts', import.meta.url),
    diagnosis: new URL('../../src/core/signature/diagnosis-thread.ts', import.meta.url),
    shrink: new URL('../../src/core/shrinking/shrink-thread.ts', import.meta.url),
    encryption: new URL('../../src/core/sharing/encryption-thread.ts', import.meta.url),
  }
}

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

export interface TestCoreOptions {
  readonly dataFolder: string
  readonly deps?: Partial<Deps>
  readonly options?: Partial<CoreOptions>
  /** Whether the store has threads, whose start takes longer than most tests. */
  readonly threads?: boolean
}

/**
 * Differences of a delivery: headers, the signature's time, and a URL other than the signed one.
 */
interface SentOtherwise {
  readonly headers?: readonly (readonly [string, string])[]
  readonly timestamp?: string
  readonly to?: string
}

export type TestCore = Awaited<ReturnType<typeof startTestCore>>

/** Starts a core on free ports. Tests use `coreInFolder` of in-folder.ts, which also closes it. */
export async function startTestCore({
  dataFolder,
  deps,
  options,
  threads = false,
}: TestCoreOptions) {
  const filled = testDeps(dataFolder, deps)
  const core = await createCore(filled, {
    serve: { host: '127.0.0.1', receiverPort: 0, sandboxPort: 0 },
    ...(threads ? {} : { withoutThreads: true }),
    ...options,
  })
  const closers: (() => void)[] = []
  const connect = (part: { readonly isWindow?: true }) => {
    const { client: near, core: far } = createMemoryPair()
    closers.push(core.connect({ ...far, ...part }))
    return new RpcClient(near)
  }
  const status = await core.status()
  const client = connect({})
  const receiver = status.receiver.url ?? ''
  let deliverer: ReturnType<typeof createDeliverer> | null = null
  const send = (to: string, { body = '', headers = [] }: Partial<Delivery> = {}, method = 'POST') =>
    (deliverer ??= createDeliverer(status.caFile, 16)).send(
      to.startsWith('/') ? receiver + to : to,
      { body, headers },
      method,
    )
  return {
    core,
    client,
    call: client.call,
    /** A client with the consent that the window keeps. */
    window: connect({ isWindow: true }),
    dataFolder,
    caFile: status.caFile,
    receiver,
    bugs: filled.bugs as readonly unknown[],
    async hook(path: string, secret: string, changes: Partial<InputOf<'hooks.import'>> = {}) {
      const hook = { event: 'transaction.auth', url: receiver + path, secret, ...changes }
      return { ...(await client.call('hooks.import', hook)), secret }
    },
    send,
    deliver(
      { url, secret }: { readonly url: string; readonly secret: string },
      body: Delivery['body'] = '{}',
      { headers = [], timestamp, to = url }: SentOtherwise = {},
    ) {
      return send(to, {
        body,
        headers: [...signedHeaders(secret, body, url, timestamp), ...headers],
      })
    },
    async program() {
      const environment = 'sandbox-test'
      const { objects } = await client.call('sandbox.objects', { environment, kind: 'program' })
      return objects[0]?.id ?? ''
    },
    latest: () => client.call('deliveries.get', { id: 'latest' }),
    async stop() {
      deliverer?.close()
      deliverer = null
      for (const close of closers) close()
      await core.close()
    },
  }
}
