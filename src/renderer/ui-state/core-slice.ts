/** Data of the core that many screens need, for selectors and code outside React. */
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
  const isRead = ALWAYS_READ.every((command) => data.cachedOutput(command, {}) !== undefined)
  const lastStatus = data.cachedOutput('app.status', {}) ?? null
  const error = ALWAYS_READ.map((command) => data.errorOf(command, {})).find(
    (failure) => failure !== null && !isQuiet(failure),
  )
  return {
    /** Status of the core; null until all commands in `ALWAYS_READ` are read. */
    status: isRead ? lastStatus : null,
    /** Status as last read, even if another command failed. */
    lastStatus,
    /** Reason why reading failed; null without one. */
    problem: isRead || error == null ? null : sentenceOf(error),
    hooks: data.cachedOutput('hooks.list', {})?.hooks ?? NONE,
    /** Handlers in order of creation. */
    handlers: data.cachedOutput('handlers.list', {})?.handlers ?? NONE,
    environments: data.cachedOutput('environments.list', {})?.environments ?? NONE,
    settings: data.cachedOutput('settings.get', {}) ?? DEFAULT_SETTINGS,
    views: data.cachedOutput('views.list', {})?.views ?? NONE,
    /** Replays, newest first; null until they are read. */
    replays: data.cachedOutput('replay.list', REPLAYS)?.replays ?? null,
    /** State of the tunnel; null until it is read. */
    tunnel: data.cachedOutput('tunnels.status', {}) ?? null,
  }
}

export function createCoreSlice({ data, set }: FeatureTools<CoreSlice>): CoreSlice {
  let last = coreOf(data)
  data.onChange(() => {
    const now = coreOf(data)
    if (!shallow(now, last)) set(now)
    last = now
  })
  return {
    ...last,
    connection: { phase: 'connecting' },
    setConnection: (connection) => set({ connection }),
    readAgain: data.readAllAgain,
  }
}
