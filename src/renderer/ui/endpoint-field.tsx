/**
 * The fields for an endpoint: a saved handler, a URL typed before, or a new URL that can be saved; its secret and its registered
 * URL. Every form that sends to the user's endpoint uses them.
 */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { ChevronDown } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode, type Ref } from 'react'
import type { SavedHandler } from '../../shared/model/handler.ts'
import type { Hook } from '../../shared/model/hook.ts'
import { listed } from '../../shared/text/counted.ts'
import { useRead } from '../data/use-read.ts'
import { useApp, useParts } from '../state/use-app.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import {
  handlerAt,
  handlerRef,
  isUnsaved,
  namedHandler,
  offeredEndpoints,
  suggestedName,
  type EndpointOffer,
  type OfferedEndpoints,
} from './endpoint-offers.ts'
import { controlLook, Field, SecretField, TextField } from './field.tsx'
import { QuotedText } from './finding-text.tsx'
import { Suggestions } from './menu.tsx'
import { useCall } from './use-outcome.ts'

interface PlainFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

export function HandlerSecretField(props: PlainFieldProps & { readonly problem?: ReactNode }) {
  return (
    <SecretField
      label="Handler secret"
      hint="The secret your handler verifies with. Not stored."
      {...props}
    />
  )
}

/** `otherwise` is the URL that is signed if the field is empty. */
export function RegisteredUrlField({
  otherwise,
  ...props
}: PlainFieldProps & { readonly otherwise: string }) {
  return (
    <TextField
      label="Registered URL"
      optional
      inputMode="url"
      placeholder={otherwise}
      hint="The URL your handler is configured with. It's part of the signature."
      {...props}
    />
  )
}

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

export interface EndpointFacts {
  readonly registeredUrl?: string | null
  readonly hookId?: string | null
  readonly secret?: string | null
  readonly targetCa?: string | null
}

export interface EndpointFieldProps extends PlainFieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly optional?: boolean
  readonly problem?: ReactNode
  readonly placeholder?: string
  readonly name?: string
  readonly inputRef?: Ref<HTMLInputElement>
  /** What the form knows about a typed endpoint, saved with it. */
  readonly facts?: EndpointFacts
  /** Another URL to offer. */
  readonly offered?: string | null
  /** What is known about the endpoint, at the right in the field. */
  readonly mark?: ReactNode
}

/** How many earlier checks and flow runs suggest endpoints. */
const RECENT_RUNS = 20

/** URLs typed before in any form, most recent first. */
function useRecentEndpoints(): readonly string[] {
  const replays = useRead('replay.targets', {}).output?.recent ?? []
  const { runs: checks = [] } = useRead('check.list', { limit: RECENT_RUNS }).output ?? {}
  const { runs: flows = [] } = useRead('flows.runs', { limit: RECENT_RUNS }).output ?? {}
  const { targets = [] } = useRead('forward.list', {}).output ?? {}
  const urls = [
    ...replays,
    ...checks.map(({ target }) => target),
    ...flows.flatMap(({ handler }) => handler ?? []),
    ...targets.map(({ url }) => url),
  ]
  return [...new Set(urls.filter((url) => url !== ''))]
}

/** A field for an endpoint. Its text is a URL, or `@NAME` for a saved handler. */
export function EndpointField({
  label,
  hint,
  optional = false,
  problem,
  placeholder = 'http://127.0.0.1:3000/webhooks',
  name,
  inputRef,
  facts = {},
  offered = null,
  mark = null,
  value,
  onChange,
}: EndpointFieldProps) {
  const { handlers, hooks } = useParts('core', 'handlers', 'hooks')
  const recent = useRecentEndpoints()
  const [wanted, setWanted] = useState(false)
  const [typing, setTyping] = useState(false)
  const groups = offeredEndpoints(
    handlers,
    offered === null ? recent : [...recent, offered],
    typing ? value : '',
  )
  const isOnlyItself =
    groups.length === 1 &&
    groups[0]?.items.length === 1 &&
    groups[0].items[0]?.value === value.trim()
  // Someone who clears the field wants it empty.
  const isCleared = typing && value.trim() === ''
  const offering = wanted && groups.length > 0 && !isOnlyItself && !isCleared
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
        optional={optional}
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
          <Autocomplete.Root
            items={groups}
            itemToStringValue={(offer: EndpointOffer) => offer.value}
            filter={null}
            value={value}
            onValueChange={(text, { reason }) => {
              setTyping(reason !== 'item-press')
              onChange(text)
            }}
            open={offering}
            onOpenChange={(open) => {
              setWanted(open)
              if (!open) setTyping(false)
            }}
            openOnInputClick
          >
            <span className="relative">
              <Autocomplete.Input
                ref={inputRef}
                {...control}
                name={name}
                inputMode="url"
                spellCheck={false}
                autoComplete="off"
                placeholder={placeholder}
                onKeyDown={(event) => {
                  // Esc closes the list first, then works as usual.
                  if (event.key === 'Escape' && !offering) event.preventBaseUIHandler()
                }}
                className={classNames(
                  controlLook,
                  'data',
                  groups.length > 0 && (mark === null ? 'pr-8' : 'pr-44'),
                )}
              />
              {mark !== null && (
                <span className="pointer-events-none absolute inset-y-0 right-8 flex max-w-36 items-center">
                  {mark}
                </span>
              )}
              {groups.length > 0 && (
                <Autocomplete.Trigger
                  aria-label="Show saved handlers"
                  className="absolute top-0 right-0 inline-flex size-8 items-center justify-center text-subtle hover:text-text"
                >
                  <ChevronDown size={14} aria-hidden />
                </Autocomplete.Trigger>
              )}
            </span>
            <Offers />
          </Autocomplete.Root>
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
      {isUnsaved(value, handlers) && !offering && (
        <SaveEndpoint
          key={value}
          url={value.trim()}
          facts={facts}
          onSaved={(saved) => onChange(handlerRef(saved))}
        />
      )}
    </div>
  )
}

function Offers() {
  return (
    <Suggestions look="max-h-[min(320px,var(--available-height))] w-(--anchor-width) bg-raised p-1">
      <Autocomplete.List aria-label="Saved and recent">
        {(group: OfferedEndpoints) => (
          <Autocomplete.Group key={group.label} items={group.items} className="not-last:mb-1">
            <Autocomplete.GroupLabel className="px-2 pt-1 pb-0.5 text-tiny font-medium text-subtle">
              {group.label}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(offer: EndpointOffer) => (
                <Autocomplete.Item
                  key={offer.value}
                  value={offer}
                  className="flex h-7 items-center gap-2 rounded-small px-2 data-highlighted:bg-selected"
                >
                  <span
                    className={`data truncate ${offer.note === '' ? '' : 'shrink-0 font-medium'}`}
                  >
                    {offer.value}
                  </span>
                  {offer.current && <span className="shrink-0 text-small text-muted">Current</span>}
                  <span className="data min-w-0 flex-1 truncate text-right text-subtle">
                    {offer.note}
                  </span>
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Suggestions>
  )
}

/** Saves a typed URL as a handler, with what the form knows about it. */
function SaveEndpoint({
  url,
  facts,
  onSaved,
}: {
  readonly url: string
  readonly facts: EndpointFacts
  readonly onSaved: (handler: SavedHandler) => void
}) {
  const taken = useApp((state) => state.core.handlers)
  const call = useCall()
  const [name, setName] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | undefined>()
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const isOpen = name !== null
  useEffect(() => {
    if (isOpen) field.current?.select()
  }, [isOpen])
  if (name === null)
    return (
      <Button
        kind="quiet"
        className="-ml-1.5 h-6 px-1.5 text-small"
        onClick={() =>
          setName(
            suggestedName(
              url,
              taken.map((one) => one.name),
            ),
          )
        }
      >
        Save as handler…
      </Button>
    )
  const save = async () => {
    setBusy(true)
    const outcome = await call('handlers.add', {
      name: name.trim().replace(/^@/, ''),
      url,
      ...facts,
    })
    setBusy(false)
    if (outcome.ok) onSaved(outcome.value.handler)
    else setProblem(outcome.problem.message)
  }
  return (
    <div role="group" aria-label="Save as handler" className="mt-2 flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <TextField
          ref={field}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== 'Escape') return
            // The form around it neither sends nor closes.
            event.stopPropagation()
            event.preventDefault()
            if (event.key === 'Escape') setName(null)
            else void save()
          }}
          label="Handler name"
          problem={problem}
          value={name}
          onChange={(text) => {
            setProblem(undefined)
            setName(text)
          }}
        />
      </div>
      <Button className="h-8" disabled={busy || name.trim() === ''} onClick={() => void save()}>
        {busy ? 'Saving…' : 'Save handler'}
      </Button>
      <Button kind="quiet" className="h-8" onClick={() => setName(null)}>
        Cancel
      </Button>
    </div>
  )
}
