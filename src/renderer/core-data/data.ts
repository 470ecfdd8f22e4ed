/**
 * What the window knows of the core: one cache, with one key per command and input. Components read it with `useRead`, other code
 * with `known`; `events.ts` keeps it up to date.
 */
import { hashKey, QueryCache, QueryClient } from '@tanstack/react-query'
import type { CommandName, InputOf, OutputOf } from '../../shared/contract/contract.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { createAct, createFail, type Notify } from './act.ts'
import { createReloader } from './reloader.ts'

/** Events keep these up to date, or they never change, so that showing them again asks nothing. Others are read each time. */
const KEPT: ReadonlySet<unknown> = new Set<CommandName>([
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
  'replay.jobs',
  'replay.send',
  'settings.get',
  'tunnels.status',
  'views.list',
])

/** Advice on a form that is being filled in: asked for again each time. */
const ADVICE = ['hooks.check', 'retention.preview', 'sandbox.preview'] as const
const isAdvice = (command: unknown) => ADVICE.some((one) => one === command)

/** As large as deliveries: forgotten soon after they are no longer shown. */
const LARGE = ['bodies.decoded', 'deliveries.body', 'body.whole'] as const
const LARGE_KEPT_MS = 10_000

/** Pause between two reads of the same command that events ask for, in milliseconds. */
const READING_PAUSE_MS = 500

type Change = (output: unknown) => unknown

export type Data = ReturnType<typeof createData>

export function createData(client: Client, notify: Notify) {
  const fail = createFail(notify)
  /** Changes that arrived while their key was being read: the output may be older, so they are made to it too. */
  const late = new Map<string, Change[]>()
  const reloaders = new Map<CommandName, () => void>()
  const queries = new QueryClient({
    queryCache: new QueryCache({
      // Without older data, the screen shows the failure itself, a form its failed advice.
      onError(error, { state, queryKey }) {
        if (state.data !== undefined && !isAdvice(queryKey[0]))
          fail("Couldn't load data from Countersign", error)
      },
    }),
    defaultOptions: {
      queries: {
        async queryFn({ queryKey, signal }) {
          const [command, input] = queryKey as unknown as [CommandName, InputOf<CommandName>]
          const hash = hashKey(queryKey)
          const changes: Change[] = []
          late.set(hash, changes)
          try {
            const output = await client.call(command, input, { signal })
            return changes.reduce((changed: unknown, change) => change(changed), output)
          } finally {
            if (late.get(hash) === changes) late.delete(hash)
          }
        },
        staleTime: ({ queryKey: [command] }) => (KEPT.has(command) ? Infinity : 0),
        networkMode: 'always',
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
    },
  })
  for (const command of ADVICE) queries.setQueryDefaults([command], { gcTime: 0 })
  for (const command of LARGE) queries.setQueryDefaults([command], { gcTime: LARGE_KEPT_MS })
  return {
    client,
    queries,
    act: createAct(notify),
    fail,
    /** What is known of a command's output; undefined if it wasn't read yet. */
    known: <K extends CommandName>(command: K, input: InputOf<K>) =>
      queries.getQueryData<OutputOf<K>>([command, input]),
    errorOf: <K extends CommandName>(command: K, input: InputOf<K>) =>
      queries.getQueryState([command, input])?.error ?? null,
    /** Changes what is known of a command's output, unless nothing is known. */
    patch<K extends CommandName>(
      command: K,
      input: InputOf<K>,
      change: (output: OutputOf<K>) => OutputOf<K>,
    ) {
      late.get(hashKey([command, input]))?.push(change as Change)
      queries.setQueryData<OutputOf<K>>([command, input], (output) =>
        output === undefined ? undefined : change(output),
      )
    },
    /** Reads a command again soon if it is shown, else when it is shown next. The older output stays until then. */
    readAgain(command: CommandName) {
      const ask =
        reloaders.get(command) ??
        createReloader(() => queries.invalidateQueries({ queryKey: [command] }), READING_PAUSE_MS)
      reloaders.set(command, ask)
      ask()
    },
    /** Reads a command's output for one input again if it is known. */
    outdate<K extends CommandName>(command: K, input: InputOf<K>) {
      const queryKey = [command, input]
      if (queries.getQueryState(queryKey) !== undefined)
        void queries.invalidateQueries({ queryKey, exact: true })
    },
    /** Reads all again: events were missed. */
    readAllAgain: () => void queries.invalidateQueries(),
    /** Calls back when anything that is known changes. Returns a function that stops it. */
    onChange: (listener: () => void) => queries.getQueryCache().subscribe(listener),
  }
}
