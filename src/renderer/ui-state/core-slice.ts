/**
 * What every screen may need of the core, as `data` knows it, so that selectors and code outside React can combine it with the
 * window's own state. Nothing else writes it.
 */
import { shallow } from 'zustand/shallow'
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts'
import { isQuiet, sentenceOf } from '../core-data/act.ts'
import type { Data } from '../core-data/data.ts'
import { ALWAYS_READ, REPLAYS } from '../core-data/events.ts'
import type { ConnectionState } from '../host/host.ts'
import type { FeatureTools } from './feature-tools.ts'

export type CoreSlice = ReturnType<typeof coreOf> & {
  readonly connection: ConnectionState
  setConnection(connection: ConnectionState): void
  readAgain(): void
}

const NONE: readonly never[] = []

function coreOf(data: Data) {
  const isKnown = ALWAYS_READ.every((command) => data.known(command, {}) !== undefined)
  const error = ALWAYS_READ.map((command) => data.errorOf(command, {})).find(
    (one) => one !== null && !isQuiet(one),
  )
  return {
    /** Null until all of this is known. */
    status: isKnown ? (data.known('app.status', {}) ?? null) : null,
    /** Why it isn't. */
    problem: isKnown || error == null ? null : sentenceOf(error),
    hooks: data.known('hooks.list', {})?.hooks ?? NONE,
    /** In order of creation. */
    handlers: data.known('handlers.list', {})?.handlers ?? NONE,
    environments: data.known('environments.list', {})?.environments ?? NONE,
    settings: data.known('settings.get', {}) ?? DEFAULT_SETTINGS,
    views: data.known('views.list', {})?.views ?? NONE,
    /** Newest first; null until they are known. */
    replays: data.known('replay.jobs', REPLAYS)?.jobs ?? null,
    /** Null until it is known. */
    tunnel: data.known('tunnels.status', {}) ?? null,
  }
}

export function createCoreSlice({ data, set }: FeatureTools<CoreSlice>): CoreSlice {
  let known = coreOf(data)
  data.onChange(() => {
    const now = coreOf(data)
    if (!shallow(now, known)) set(now)
    known = now
  })
  return {
    ...known,
    connection: { phase: 'connecting' },
    setConnection: (connection) => set({ connection }),
    readAgain: data.readAllAgain,
  }
}
