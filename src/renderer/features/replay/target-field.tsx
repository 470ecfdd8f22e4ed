/** The target of a replay: an endpoint or the hook's registered URL. */
import { useId, useState } from 'react'
import { lacksScheme, targetKind, type TargetKind } from '../../../shared/http.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { listed } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { handlerAt, handlerRef, namedHandler, offeredEndpoints } from '../../ui/endpoint-offers.ts'
import { Field } from '../../ui/field.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { ReachabilityMark, useProbes } from '../handlers/index.ts'
import { isTarget, useReplayTarget } from './replay-target.ts'
import { SuggestInput } from '../../ui/suggest-input.tsx'
import { useFirstFocus } from '../../ui/use-first-focus.ts'
import { visibleText } from '../../ui/visible-text.ts'

const targetWords: Readonly<Record<Exclude<TargetKind, 'none'>, string>> = {
  receiver: 'The replay appears here as a new delivery.',
  here: 'On this computer.',
  network: 'On your network. Countersign asks once before it sends there.',
  elsewhere: 'Remote host. Countersign asks once before it sends there.',
}

/** Describes a saved handler, with data between backticks. */
function handlerDescription(
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

interface TargetFieldProps {
  /** Target; empty for the current handler, else each delivery's registered URL. */
  readonly target: string
  readonly onTarget: (target: string) => void
  /** Registered URL; null unless all deliveries share one. */
  readonly registered: string | null
  /** Whether the field is one row, with the handler's URL in it instead of words below. */
  readonly isRow?: boolean
}

/** Asks for the target: a saved handler (`@NAME`), the URL of an earlier replay, or a new URL. */
export function TargetField({ target, onTarget, registered, isRow = false }: TargetFieldProps) {
  const { handlers, probes } = useAppParts((state) => ({
    handlers: state.core.handlers,
    probes: state.handlers.probes,
  }))
  useProbes()
  const recent = useRead('replay.targets', {}).output?.recent ?? []
  const [offering, setOffering] = useState(false)
  const { handler } = useReplayTarget(target, registered)
  const isTested = handler !== null && probes[handler.id] !== undefined
  const name = useId()
  const first = useFirstFocus<HTMLInputElement>()
  const named = namedHandler(target, handlers)
  const savedHandler = named === null ? handlerAt(target, handlers) : null
  return (
    <div>
      <Field
        label="Send to"
        hint={
          isRow && named !== null ? undefined : (
            <TargetHint target={target} registered={registered} />
          )
        }
        problem={offering ? undefined : targetProblem(target, named)}
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
              {...(isTested ? { className: 'pr-44 @max-[420px]:pr-32' } : {})}
            />
            <span
              className="data pointer-events-none absolute inset-y-0 right-8 flex items-center justify-end gap-3 text-base"
              style={{ left: `min(${target.length + 1}ch + 11px, 100% - 176px)` }}
            >
              {isRow && named !== null && (
                <span aria-hidden className="min-w-0 flex-1 truncate text-small text-subtle">
                  {visibleText(named.url)}
                </span>
              )}
              {isTested && (
                <span className="flex max-w-36 shrink-0 font-sans @max-[420px]:max-w-24">
                  <ReachabilityMark handler={handler} />
                </span>
              )}
            </span>
          </span>
        )}
      </Field>
      {savedHandler !== null && !offering && (
        <Button
          kind="quiet"
          className="-ml-1.5 h-6 px-1.5 text-small"
          onClick={() => onTarget(handlerRef(savedHandler))}
        >
          Use {handlerRef(savedHandler)}
        </Button>
      )}
    </div>
  )
}

/** Explains where requests go. */
function TargetHint({ target, registered }: Pick<TargetFieldProps, 'target' | 'registered'>) {
  const { handlers, hooks, receiver } = useAppParts((state) => ({
    handlers: state.core.handlers,
    hooks: state.core.hooks,
    receiver: state.core.status?.receiver.url ?? null,
  }))
  const { handler, url } = useReplayTarget(target, registered)
  const kind = targetKind(url, receiver)
  const words = kind === 'none' ? '' : targetWords[kind]
  const emptyMeaning =
    handler !== null
      ? `to replay to ${handlerRef(handler)}.`
      : registered === null
        ? "for each hook's URL."
        : "for the hook's URL."
  const hint = target.trim() === '' ? `Leave empty ${emptyMeaning} ${words}`.trim() : words
  const named = namedHandler(target, handlers)
  if (named === null) return hint
  return (
    <>
      <QuotedText text={handlerDescription(named, hooks)} /> {hint}
    </>
  )
}

function targetProblem(target: string, named: SavedHandler | null): string | undefined {
  if (named === null && target.trim().startsWith('@'))
    return 'Handler not found. Choose a saved one, or enter a URL.'
  if (isTarget(target)) return undefined
  return lacksScheme(target.trim())
    ? 'Start the URL with https:// or http://.'
    : 'Enter a complete URL, for example http://127.0.0.1:3000/webhooks.'
}
