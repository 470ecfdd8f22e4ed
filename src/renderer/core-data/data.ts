/**
 * The window's cache of the core's data, by command and input, kept current by `events.ts`.
 * Components read it with `useRead`, other code with `cachedOutput`.
 */
import { hashKey, QueryCache, QueryClient } from '@tanstack/react-query'
import type { CommandName, InputOf, OutputOf } from '../../shared/contract/contract.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { createAct, createFail, type Notify } from './act.ts'
import { createReloader } from './reloader.ts'

/** Commands whose output never changes or is updated by events; others are read whenever shown. */
const NEVER_STALE: ReadonlySet<unknown> = new Set<CommandName>([
  'app.status',
  'bodies.decoded',
  'consent.list',
  'deliveries.body',
  'environments.list',
  'flows.get',
  'flows.list',
  'forward.list',
  'handlers.list',
  'hooks.list',
  'replay.list',
  'replay.send',
  'settings.get',
  'tunnels.status',
  'views.list',
])

/** Commands that validate a form while typing; never cached. */
const FORM_CHECKS = ['hooks.check', 'retention.preview', 'sandbox.preview'] as const
const isFormCheck = (command: unknown) => FORM_CHECKS.some((one) => one === command)

/** Commands with large outputs, forgotten soon after they are no longer shown. */
const LARGE = ['bodies.decoded', 'deliveries.body', 'body.whole'] as const
const LARGE_KEPT_MS = 10_000

/** Pause between two event-driven reads of a command, in milliseconds. */
const READING_PAUSE_MS = 500

type Change = (output: unknown) => unknown

export type Data = ReturnType<typeof createData>

export function createData(client: Client, notify: Notify) {
  const fail = createFail(notify)
  /** Changes during a read, reapplied to its output, which may be older. */
  const lateChanges = new Map<string, Change[]>()
  const reloaders = new Map<CommandName, () => void>()
  const queries = new QueryClient({
    queryCache: new QueryCache({
      // Without older data, the screen shows the failure itself; forms show failed advice.
      onError(error, { state, queryKey }) {
        if (state.data !== undefined && !isFormCheck(queryKey[0]))
          fail("Couldn't load data from Countersign", error)
      },
    }),
    defaultOptions: {
      queries: {
        async queryFn({ queryKey, signal }) {
          const [command, input] = queryKey as unknown as [CommandName, InputOf<CommandName>]
          const hash = hashKey(queryKey)
          const changes: Change[] = []
          lateChanges.set(hash, changes)
          try {
            const output = await client.call(command, input, { signal })
            return changes.reduce((changed: unknown, change) => change(changed), output)
          } finally {
            if (lateChanges.get(hash) === changes) lateChanges.delete(hash)
          }
        },
        staleTime: ({ queryKey: [command] }) => (NEVER_STALE.has(command) ? Infinity : 0),
        networkMode: 'always',
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
    },
  })
  for (const command of FORM_CHECKS) queries.setQueryDefaults([command], { gcTime: 0 })
  for (const command of LARGE) queries.setQueryDefaults([command], { gcTime: LARGE_KEPT_MS })
  return {
    client,
    queries,
    act: createAct(notify),
    fail,
    /** Returns the cached output of a command, if any. */
    cachedOutput: <K extends CommandName>(command: K, input: InputOf<K>) =>
      queries.getQueryData<OutputOf<K>>([command, input]),
    errorOf: <K extends CommandName>(command: K, input: InputOf<K>) =>
      queries.getQueryState([command, input])?.error ?? null,
    patch<K extends CommandName>(
      command: K,
      input: InputOf<K>,
      change: (output: OutputOf<K>) => OutputOf<K>,
    ) {
      lateChanges.get(hashKey([command, input]))?.push(change as Change)
      queries.setQueryData<OutputOf<K>>([command, input], (output) =>
        output === undefined ? undefined : change(output),
      )
    },
    /** Marks a command's output outdated; shown output is read again soon, other when shown. */
    readAgain(command: CommandName) {
      const ask =
        reloaders.get(command) ??
        createReloader(() => queries.invalidateQueries({ queryKey: [command] }), READING_PAUSE_MS)
      reloaders.set(command, ask)
      ask()
    },
    invalidate<K extends CommandName>(command: K, input: InputOf<K>) {
      const queryKey = [command, input]
      if (queries.getQueryState(queryKey) !== undefined)
        void queries.invalidateQueries({ queryKey, exact: true })
    },
    /** Reads all again after events were missed. */
    readAllAgain: () => void queries.invalidateQueries(),
    /** Calls back on each change of the cache; returns a function that stops it. */
    onChange: (listener: () => void) => queries.getQueryCache().subscribe(listener),
  }
}
