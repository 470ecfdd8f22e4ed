/** Details of the selected hook: facts, secret, deliveries, response rule and service record. */
import { Pencil, Send, Trash2 } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { counted } from '../../../shared/text/counted.ts'
import { isOfSandbox, acknowledgementRule, isAcknowledged } from '../../core-data/environments.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactLines, ExactText, Middle } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { ago, calendarDay, clockTime, exactTime, useNow } from '../../ui/moment.ts'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { answerWord, VerdictBadge } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import {
  failureWords,
  HookStatus,
  kindWords,
  queryOfEvent,
  statusStyles,
  unknownFields,
  useHookActivity,
  useVerifiesOnly,
} from './hook-facts.tsx'
import { ResponseRule } from './response-rule.tsx'

const SHOWN_FOR_MS = 10_000

/**
 * Shows the secret's last characters. The full secret is shown on demand and hidden after ten
 * seconds.
 */
function HookSecret({ hook }: { readonly hook: Hook }) {
  const revealSecret = useApp((state) => state.hooks.revealSecret)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const [secret, setSecret] = useState<string | null>(null)
  useEffect(() => {
    if (secret === null) return
    const timer = setTimeout(() => setSecret(null), SHOWN_FOR_MS)
    return () => clearTimeout(timer)
  }, [secret])
  const { event, secretHint } = hook
  const small = { kind: 'quiet', className: 'h-6 px-1.5 text-small' } as const
  return (
    <span className="flex flex-wrap items-center gap-1">
      {secretHint === null ? (
        <span className="text-muted">Not available</span>
      ) : (
        <>
          <span
            className="data min-w-0 wrap-anywhere"
            title={secret === null ? 'Last characters' : undefined}
          >
            {visibleText(secret ?? secretHint)}
          </span>
          <CopyButton
            text={() => revealSecret(hook.id)}
            label={`Copy the secret of ${visibleText(event)}`}
          />
          <Button
            {...small}
            aria-label={`${secret === null ? 'Show' : 'Hide'} the secret of ${visibleText(event)}`}
            onClick={() => {
              if (secret !== null) setSecret(null)
              else void revealSecret(hook.id).then(setSecret)
            }}
          >
            {secret === null ? 'Show' : 'Hide'}
          </Button>
        </>
      )}
      <Button {...small} onClick={() => openOverlay('rotate-secret')}>
        {secretHint === null ? 'Add secret…' : 'Rotate…'}
      </Button>
    </span>
  )
}

export function HookDetail({ hook }: { readonly hook: Hook }) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const isOver = hook.status === 'deleted'
  const fixed = hook.remoteId === null
  return (
    <DetailPane label="Hook" pane="hook">
      <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line pt-3 pr-3 pb-2.5 pl-5">
        <h2 className="flex min-w-0 flex-1 basis-60 items-center gap-3">
          <HookStatus hook={hook} large />
          <span className="min-w-0 truncate font-mono text-base">
            <ExactText text={hook.event} />
          </span>
        </h2>
        <span className="flex items-center gap-1">
          {!isOver && (
            <Button
              icon={Pencil}
              disabled={fixed}
              title={
                fixed ? "Can't be edited here: the service's ID of this hook is unknown" : undefined
              }
              onClick={() => openOverlay('edit-hook')}
            >
              Edit…
            </Button>
          )}
          <Button icon={Trash2} onClick={() => openOverlay('delete-hook')}>
            {isOver ? 'Remove for good…' : 'Delete…'}
          </Button>
        </span>
      </header>
      <DetailScroll key={hook.id} label="Hook details" padded={false}>
        <WhatToDo hook={hook} />
        <div className="px-5 pt-2 pb-8">
          <HookFacts hook={hook} />
          <Part title="Recent deliveries">
            <HookDeliveries hook={hook} />
          </Part>
          {!isOver && (
            <Part title="Response" note="What the receiver returns">
              <ResponseRule hook={hook} />
            </Part>
          )}
          <Part title="Service record">
            <ServiceRecord hook={hook} />
          </Part>
        </div>
      </DetailScroll>
    </DetailPane>
  )
}

function Part({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note?: string
  readonly children: ReactNode
}) {
  return (
    <section className="mt-6">
      <h3 className="mb-1.5 font-medium">
        {title}
        {note !== undefined && (
          <span className="ml-2 text-small font-normal text-subtle">{note}</span>
        )}
      </h3>
      {children}
    </section>
  )
}

function HookFacts({ hook }: { readonly hook: Hook }) {
  const headers = Object.entries(hook.headers)
  const note = useVerifiesOnly(hook) ? statusStyles.verifies.meaning : undefined
  return (
    <Facts>
      <Fact name="URL" note={note}>
        <span className="data">
          <ExactText text={hook.url} />
        </span>{' '}
        <CopyButton text={hook.url} label="Copy URL" className="-my-1" />
      </Fact>
      <Fact name="Environment">
        <EnvironmentName name={hook.environment} mode={hook.mode} />
      </Fact>
      <Fact name="Kind">{kindWords(hook.kind)}</Fact>
      {hook.kind !== 'brand' && (
        <Fact name="Program">
          <Id
            value={hook.programId}
            missing="Not set. In the sandbox, it receives events of every program."
          />
        </Fact>
      )}
      {hook.offerId !== null && (
        <Fact name="Offer" note="Only transactions of this offer">
          <Id value={hook.offerId} missing="" />
        </Fact>
      )}
      <Fact
        name="Secret"
        note={
          hook.previousSecrets === 0
            ? undefined
            : `${counted(hook.previousSecrets, 'previous secret')} also accepted`
        }
      >
        <HookSecret hook={hook} />
      </Fact>
      <Fact name="Custom headers">
        {headers.length === 0 ? (
          <span className="text-muted">None</span>
        ) : (
          headers.map(([name, value]) => (
            <p key={name} className="data">
              {name}: <ExactText text={value} />
            </p>
          ))
        )}
      </Fact>
      <Fact name="Service ID">
        <Id value={hook.remoteId} missing="Unknown" />
      </Fact>
      <Fact name="Added">
        <span title={exactTime(hook.createdAt)}>
          {calendarDay(hook.createdAt)}{' '}
          <span className="data text-muted">{clockTime(hook.createdAt)}</span>
        </span>
      </Fact>
    </Facts>
  )
}

function Id({ value, missing }: { readonly value: string | null; readonly missing: string }) {
  if (value === null) return <span className="text-muted">{missing}</span>
  return (
    <span className="data flex items-center gap-1">
      <Middle text={value} tail={12} />{' '}
      <CopyButton text={value} label={`Copy ${value}`} className="-my-1" />
    </span>
  )
}

/** Explains a gone or unconfirmed hook and offers the way out. */
function WhatToDo({ hook }: { readonly hook: Hook }) {
  const open = useApp((state) => state.hooks.open)
  if (hook.status === 'active') return null
  return (
    <div
      role="note"
      className={`flex flex-wrap items-center gap-3 border-b border-line px-5 py-2.5 ${hook.status === 'deleted' ? '' : 'bg-warn-wash'}`}
    >
      <p className="min-w-0 flex-1 basis-72">
        <span className="font-medium">{statusStyles[hook.status].meaning}</span>{' '}
        <span className="text-muted">
          {hook.status === 'gone' && 'Register it again, or delete this entry.'}
          {hook.status === 'unconfirmed' &&
            'Check with the service. If the hook exists, add its secret so its deliveries verify. If not, register it again and delete this entry.'}
        </span>
      </p>
      <Button
        kind={hook.status === 'gone' ? 'primary' : 'plain'}
        onClick={() => open('register-hook', hook)}
      >
        Register again…
      </Button>
    </div>
  )
}

function ServiceRecord({ hook: { record } }: { readonly hook: Hook }) {
  if (record === null)
    return (
      <p className="text-muted">No record: the hook was imported, or the service returned none.</p>
    )
  const unknown = unknownFields(record)
  return (
    <>
      <pre
        tabIndex={0}
        aria-label="Record returned by the service"
        className="data max-h-72 overflow-auto rounded-control border border-line bg-ground px-3 py-2 leading-5 wrap-anywhere whitespace-pre-wrap"
      >
        <ExactLines text={JSON.stringify(record, null, 2)} />
      </pre>
      <p className="mt-1 text-small text-subtle">
        Secrets hidden. {unknown.length > 0 && `Undocumented fields: ${unknown.join(', ')}.`}
      </p>
    </>
  )
}

/** Makes the sandbox send an event for its hook. */
function SendEventButton({
  hook,
  kind,
}: {
  readonly hook: Hook
  readonly kind: 'primary' | 'plain'
}) {
  const { sending, sendEventOf, listening } = useAppParts((state) => ({
    sending: state.hooks.sendingEvent,
    sendEventOf: state.hooks.sendEventOf,
    listening: state.core.status?.sandbox !== null && state.core.connection.phase === 'open',
  }))
  return (
    <Button
      kind={kind}
      icon={Send}
      disabled={sending || !listening}
      onClick={() => void sendEventOf(hook)}
    >
      {sending ? 'Sending…' : `Send ${visibleText(hook.event)}`}
    </Button>
  )
}

const SHOWN = 5

function HookDeliveries({ hook }: { readonly hook: Hook }) {
  const { environments, go, setQuery } = useAppParts((state) => ({
    environments: state.core.environments,
    go: state.navigation.go,
    setQuery: state.filter.setDraft,
  }))
  const { activity, problem } = useHookActivity(hook)
  const now = useNow(5_000)
  const isActive = hook.status === 'active'
  const isOwn = isActive && isOfSandbox(hook.environment)
  if (activity === null)
    return problem === null ? (
      <p className="late skeleton h-3 w-40" />
    ) : (
      <p className="text-bad">{problem}</p>
    )
  if (activity.deliveries.length === 0)
    return (
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-56 text-muted">
          {isOwn
            ? 'No deliveries yet. The sandbox can send a correctly signed one.'
            : isActive || hook.status === 'unconfirmed'
              ? 'No deliveries yet. New ones appear here.'
              : 'No deliveries'}
        </p>
        {isOwn && <SendEventButton hook={hook} kind="primary" />}
      </div>
    )
  const failed = failureWords(activity)
  const ack = acknowledgementRule(environments, hook.environment)
  return (
    <div className="flex flex-col gap-2">
      <ul>
        {activity.deliveries.slice(0, SHOWN).map((row) => (
          <li key={row.id}>
            <button
              type="button"
              onClick={() => go('deliveries', { id: row.id })}
              className="flex h-7 w-full items-center gap-3 rounded-small border-b border-line/50 text-left hover:bg-raised"
            >
              <span className="w-28 shrink-0">
                <VerdictBadge of={row} />
              </span>
              <span
                className="min-w-0 flex-1 truncate text-muted"
                title={exactTime(row.receivedAt)}
              >
                {ago(row.receivedAt, now)}
                {row.attempt > 1 && ` · attempt ${row.attempt}`}
              </span>
              <span
                className={`data pr-1 ${isAcknowledged(row.answer, ack) === false ? 'text-bad' : 'text-muted'}`}
              >
                {answerWord(row)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        {failed !== null && (
          <p className="min-w-0 flex-1 basis-56 text-muted">
            <span className={activity.failed > 0 ? 'text-bad' : 'text-text'}>{failed}</span> recent
            deliveries not acknowledged
          </p>
        )}
        <Button
          kind="quiet"
          onClick={() => {
            go('deliveries')
            setQuery(queryOfEvent(hook.event))
          }}
        >
          View all for this event
        </Button>
        {isOwn && <SendEventButton hook={hook} kind="plain" />}
      </div>
    </div>
  )
}
