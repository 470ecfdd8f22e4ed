/** The endpoint that a replay goes to. */
import { handlerNameIn, targetKind } from '../../../shared/http.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { namedHandler } from '../../ui/endpoint-offers.ts'
import { firstEndpoint } from './draft.ts'
import type { ReplaySource } from './replay-state.ts'

/** Whether a text is a target: a URL, a saved handler's name, or empty for the registered URL. */
export function isTarget(target: string): boolean {
  return (
    target.trim() === '' ||
    handlerNameIn(target) !== null ||
    targetKind(target.trim(), null) !== 'none'
  )
}

/** Returns the saved handler that an endpoint names, and the URL that requests go to. */
function useEndpoint(text: string): {
  readonly handler: SavedHandler | null
  readonly url: string
} {
  const handlers = useApp((state) => state.core.handlers)
  const handler = namedHandler(text, handlers)
  return { handler, url: handler?.url ?? text }
}

/** Returns where a replay goes: the target, else the current handler, else the registered URL. */
export function useReplayTarget(
  target: string,
  registered: string | null,
): ReturnType<typeof useEndpoint> {
  const current = useApp((state) => state.core.handlers.find((handler) => handler.current) ?? null)
  const endpoint = useEndpoint(target)
  if (target.trim() !== '') return endpoint
  return current === null
    ? { handler: null, url: registered ?? '' }
    : { handler: current, url: current.url }
}

/** Returns the endpoint to offer first; null until it is loaded. */
export function useFirstEndpoint(source: ReplaySource): string | null {
  const { handlers, receiver } = useAppParts((state) => ({
    handlers: state.core.handlers,
    receiver: state.core.status?.receiver.url ?? null,
  }))
  const { output, problem } = useRead('replay.targets', {})
  if (output === undefined && problem === null) return null
  const { byHook, recent } = output ?? { byHook: {}, recent: [] }
  const ofHook = source.kind === 'rows' ? byHook[source.rows[0]?.hookId ?? ''] : undefined
  return firstEndpoint({ handlers, ofHook, recent, receiver })
}

/** Returns the registered URL; null if there are several or a delivery has no hook. */
export function registeredUrlOf(source: ReplaySource, hooks: readonly Hook[]): string | null {
  if (source.kind !== 'rows') return null
  const urls = new Set(
    source.rows.map(({ hookId }) => hooks.find(({ id }) => id === hookId)?.url ?? null),
  )
  const [only] = urls
  return urls.size === 1 ? (only ?? null) : null
}

/** Whether requests without a target may go to several endpoints. */
export function hasSeveralEndpoints(source: ReplaySource, hooks: readonly Hook[]): boolean {
  return (
    (source.kind === 'query' || (source.kind === 'rows' && source.rows.length > 1)) &&
    registeredUrlOf(source, hooks) === null
  )
}
