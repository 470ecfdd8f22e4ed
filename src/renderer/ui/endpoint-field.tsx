/** The field for an endpoint: a saved handler by its name, the URL of an earlier replay, or a new URL. */
import { useState, type ReactNode, type Ref } from 'react'
import type { SavedHandler } from '../../shared/model/handler.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { listed } from '../../shared/text/counted.ts'
import { useRead } from '../data/use-read.ts'
import { useApp, useParts } from '../state/use-app.ts'
import { Button } from './button.tsx'
import { handlerAt, handlerRef, namedHandler, offeredEndpoints } from './endpoint-offers.ts'
import { Field, SuggestInput } from './field.tsx'
import { QuotedText } from './finding-text.tsx'

/** What a saved handler brings, in sentences with data between backticks. */
export function handlerWords(
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

/** The saved handler that a form's endpoint names, and the URL that requests go to; both follow changes of the handler. */
export function useEndpoint(text: string): {
  readonly handler: SavedHandler | null
  readonly url: string
} {
  const handlers = useApp((state) => state.core.handlers)
  const handler = namedHandler(text, handlers)
  return { handler, url: handler?.url ?? text }
}

/** A field for an endpoint. Its text is a URL, or `@NAME` for a saved handler. */
export function EndpointField({
  label,
  hint,
  problem,
  placeholder,
  name,
  inputRef,
  offered,
  mark,
  value,
  onChange,
}: {
  readonly label: string
  readonly hint: ReactNode
  readonly problem: ReactNode
  readonly placeholder: string
  readonly name: string
  readonly inputRef: Ref<HTMLInputElement>
  /** Another URL to offer. */
  readonly offered: string | null
  /** What is known about the endpoint, at the right in the field. */
  readonly mark: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const { handlers, hooks } = useParts('core', 'handlers', 'hooks')
  const recent = useRead('replay.targets', {}).output?.recent ?? []
  const [offering, setOffering] = useState(false)
  const handler = namedHandler(value, handlers)
  const missing =
    handler === null && /^\s*@/.test(value)
      ? 'Handler not found. Choose a saved one, or enter a URL.'
      : undefined
  const known = handler === null ? handlerAt(value, handlers) : null
  return (
    <div>
      <Field
        label={label}
        hint={
          handler === null ? (
            hint
          ) : (
            <>
              <QuotedText text={handlerWords(handler, hooks)} /> {hint}
            </>
          )
        }
        problem={offering ? undefined : (missing ?? problem)}
      >
        {(control) => (
          <span className="relative">
            <SuggestInput
              ref={inputRef}
              {...control}
              name={name}
              inputMode="url"
              placeholder={placeholder}
              suggestions={offeredEndpoints(
                handlers,
                offered === null ? recent : [...recent, offered],
              )}
              value={value}
              onChange={onChange}
              onOpen={setOffering}
              {...(mark === null ? {} : { className: 'pr-44' })}
            />
            {mark !== null && (
              <span className="pointer-events-none absolute inset-y-0 right-8 flex max-w-36 items-center">
                {mark}
              </span>
            )}
          </span>
        )}
      </Field>
      {known !== null && !offering && (
        <Button
          kind="quiet"
          className="-ml-1.5 h-6 px-1.5 text-small"
          onClick={() => onChange(handlerRef(known))}
        >
          Use {handlerRef(known)}
        </Button>
      )}
    </div>
  )
}
