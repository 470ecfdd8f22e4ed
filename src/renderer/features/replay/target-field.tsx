/** The target of a replay: an endpoint or the hook's registered URL, with hints about the host; and start progress. */
import { useId, useState } from 'react'
import { handlerNameIn, lacksScheme, targetKind, type TargetKind } from '../../../shared/http.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { listed } from '../../../shared/text/counted.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { useFirstFocus } from '../../ui/dialog.tsx'
import { handlerAt, handlerRef, namedHandler, offeredEndpoints } from '../../ui/endpoint-offers.ts'
import { Field, SuggestInput } from '../../ui/field.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { ReachabilityMark, useProbes } from '../handlers/index.ts'
import { firstEndpoint } from './draft.ts'
import type { ReplaySource } from './replay-slice.ts'

const targetWords: Readonly<Record<Exclude<TargetKind, 'none'>, string>> = {
  receiver: 'The replay appears here as a new delivery.',
  here: 'On this computer.',
  network: 'On your network. Countersign asks once before it sends there.',
  elsewhere: 'Remote host. Countersign asks once before it sends there.',
}

/** Whether a text can be a target: a URL, a saved handler's name, or nothing for the registered URL. */
export function isTarget(target: string): boolean {
  return (
    target.trim() === '' ||
    handlerNameIn(target) !== null ||
    targetKind(target.trim(), null) !== 'none'
  )
}

/** What a saved handler brings, in sentences with data between backticks. */
function handlerWords(
  { url, registeredUrl, hookId, hasSecret, targetCa }: SavedHandler,
  hooks: readonly Hook[],
): string {
  const hook = hooks.find(({ id }) => id === hookId)
  const parts = [
    ...(registeredUrl === null ? [] : [`the registered URL \`${registeredUrl}\``]),
    ...(hookId === null
      ? []
      : [hook === undefined ? "its hook's secret" : `the \`${hook.event}\` hook's secret`]),
    ...(hookId === null && hasSecret ? ['its own secret'] : []),
    ...(targetCa === null ? [] : ['its CA certificate']),
  ]
  return `Sends to \`${url}\`.${parts.length === 0 ? '' : ` Uses ${listed(parts, 'and')}.`}`
}

/**
 * The saved handler that a form's endpoint names, and the URL that requests go to; both follow
 * changes of the handler.
 */
function useEndpoint(text: string): {
  readonly handler: SavedHandler | null
  readonly url: string
} {
  const handlers = useApp((state) => state.core.handlers)
  const handler = namedHandler(text, handlers)
  return { handler, url: handler?.url ?? text }
}

/**
 * The field for the target: a saved handler by its name (`@NAME`), the URL of an earlier replay, or
 * a new URL.
 */
export function TargetField({
  target,
  onTarget,
  registered,
}: {
  /** Empty for the current handler, or else each delivery's registered URL. */
  readonly target: string
  readonly onTarget: (target: string) => void
  /** The registered URL, if all deliveries share one. */
  readonly registered: string | null
}) {
  const { handlers, hooks, receiver, probes } = useAppParts((state) => ({
    handlers: state.core.handlers,
    hooks: state.core.hooks,
    receiver: state.core.status?.receiver.url ?? null,
    probes: state.handlers.probes,
  }))
  useProbes()
  const recent = useRead('replay.targets', {}).output?.recent ?? []
  const [offering, setOffering] = useState(false)
  const given = target.trim()
  const { handler, url } = useReplayTarget(target, registered)
  const isTested = handler !== null && probes[handler.id] !== undefined
  const kind = targetKind(url, receiver)
  const name = useId()
  // The field is first in its dialogs and gets the focus shortly after they open.
  const first = useFirstFocus<HTMLInputElement>()
  const words = kind === 'none' ? '' : targetWords[kind]
  const otherwise =
    handler !== null
      ? `to replay to ${handlerRef(handler)}.`
      : registered === null
        ? "for each hook's URL."
        : "for the hook's URL."
  const hint = given === '' ? `Leave empty ${otherwise} ${words}`.trim() : words
  const named = namedHandler(target, handlers)
  const missing =
    named === null && given.startsWith('@')
      ? 'Handler not found. Choose a saved one, or enter a URL.'
      : undefined
  const invalid = lacksScheme(given)
    ? 'Start the URL with https:// or http://.'
    : 'Enter a complete URL, for example http://127.0.0.1:3000/webhooks.'
  const known = named === null ? handlerAt(target, handlers) : null
  return (
    <div>
      <Field
        label="Send to"
        hint={
          named === null ? (
            hint
          ) : (
            <>
              <QuotedText text={handlerWords(named, hooks)} /> {hint}
            </>
          )
        }
        problem={offering ? undefined : (missing ?? (isTarget(target) ? undefined : invalid))}
      >
        {(control) => (
          <span className="relative">
            <SuggestInput
              ref={first}
              {...control}
              name={name}
              inputMode="url"
              placeholder={
                handler === null
                  ? (registered ?? "each hook's registered URL")
                  : handlerRef(handler)
              }
              suggestions={offeredEndpoints(
                handlers,
                registered === null ? recent : [...recent, registered],
              )}
              value={target}
              onChange={onTarget}
              onOpen={setOffering}
              {...(isTested ? { className: 'pr-44' } : {})}
            />
            {isTested && (
              <span className="pointer-events-none absolute inset-y-0 right-8 flex max-w-36 items-center">
                <ReachabilityMark handler={handler} />
              </span>
            )}
          </span>
        )}
      </Field>
      {known !== null && !offering && (
        <Button
          kind="quiet"
          className="-ml-1.5 h-6 px-1.5 text-small"
          onClick={() => onTarget(handlerRef(known))}
        >
          Use {handlerRef(known)}
        </Button>
      )}
    </div>
  )
}

/** The endpoint of a replay. If the target is empty: the current handler, else the registered URL, which is empty if there are several. */
export function useReplayTarget(
  target: string,
  registered: string | null,
): ReturnType<typeof useEndpoint> {
  const current = useApp((state) => state.core.handlers.find((one) => one.current) ?? null)
  const given = useEndpoint(target)
  if (target.trim() !== '') return given
  return current === null
    ? { handler: null, url: registered ?? '' }
    : { handler: current, url: current.url }
}

/** The endpoint to offer first; null until it is known. */
export function useFirstEndpoint(source: ReplaySource): string | null {
  const { handlers, receiver } = useAppParts((state) => ({
    handlers: state.core.handlers,
    receiver: state.core.status?.receiver.url ?? null,
  }))
  const { output, problem } = useRead('replay.targets', {})
  if (output === undefined && problem === null) return null
  // Without them, the others are offered.
  const { byHook, recent } = output ?? { byHook: {}, recent: [] }
  const ofHook = source.kind === 'rows' ? byHook[source.rows[0]?.hookId ?? ''] : undefined
  return firstEndpoint({ handlers, ofHook, recent, receiver })
}

/** Null if there are several URLs or a delivery has no hook. */
export function registeredUrlOf(source: ReplaySource, hooks: readonly Hook[]): string | null {
  if (source.kind === 'query') return null
  const urls = new Set(
    source.rows.map(({ hookId }) => hooks.find(({ id }) => id === hookId)?.url ?? null),
  )
  const [only] = urls
  return urls.size === 1 ? (only ?? null) : null
}

/** Whether requests without a target go to several endpoints, or possibly so. */
export function hasSeveralEndpoints(source: ReplaySource, hooks: readonly Hook[]): boolean {
  return (
    (source.kind === 'query' || source.rows.length > 1) && registeredUrlOf(source, hooks) === null
  )
}
