/** Details of the selected hook: facts, secret, deliveries, response rule and service record. */
import { Pencil, Trash2 } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Middle } from '../../ui/middle.tsx'
import { calendarDay, clockTime, exactTime } from '../../ui/moment.ts'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { DetailPane } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { AnsweringEditor } from './answering-editor.tsx'
import { HookDeliveries } from './hook-deliveries.tsx'
import { HookStatus, kindWords, statusLooks, unknownFields } from './hook-status.tsx'

const SHOWN_FOR_MS = 10_000

/** Shows the secret's last characters. The full secret is shown on demand and hidden after ten seconds. */
function HookSecret({ hook }: { readonly hook: Hook }) {
  const revealSecret = useApp((state) => state.hooks.revealSecret)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const [secret, setSecret] = useState<string | null>(null)
  useEffect(() => {
    if (secret === null) return
    const timer = setTimeout(() => setSecret(null), SHOWN_FOR_MS)
    return () => clearTimeout(timer)
  }, [secret])
  const rotate = (
    <Button
      kind="quiet"
      className="h-6 px-1.5 text-small"
      onClick={() => openOverlay('rotate-secret')}
    >
      {hook.secretHint === null ? 'Add secret…' : 'Rotate…'}
    </Button>
  )
  if (hook.secretHint === null)
    return (
      <span className="flex flex-wrap items-center gap-1">
        <span className="text-muted">Not available</span>
        {rotate}
      </span>
    )
  return (
    <span className="flex flex-wrap items-center gap-1">
      <span
        className="data min-w-0 wrap-anywhere"
        title={secret === null ? 'Last characters' : undefined}
      >
        {visibleText(secret ?? hook.secretHint)}
      </span>
      <CopyButton
        text={() => revealSecret(hook.id)}
        label={`Copy the secret of ${visibleText(hook.event)}`}
      />
      <Button
        kind="quiet"
        className="h-6 px-1.5 text-small"
        aria-label={`${secret === null ? 'Show' : 'Hide'} the secret of ${visibleText(hook.event)}`}
        onClick={() => {
          if (secret !== null) setSecret(null)
          else void revealSecret(hook.id).then(setSecret)
        }}
      >
        {secret === null ? 'Show' : 'Hide'}
      </Button>
      {rotate}
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
          <HookStatus status={hook.status} large />
          <span className="min-w-0 truncate font-mono text-base">
            <ExactText text={hook.event} />
          </span>
        </h2>
        <span className="flex items-center gap-1">
          {!isOver && (
            <Button
              icon={<Pencil size={13} aria-hidden />}
              disabled={fixed}
              title={
                fixed ? "Can't be edited here: the service's ID of this hook is unknown" : undefined
              }
              onClick={() => openOverlay('edit-hook')}
            >
              Edit…
            </Button>
          )}
          <Button
            icon={<Trash2 size={13} aria-hidden />}
            onClick={() => openOverlay('delete-hook')}
          >
            {isOver ? 'Remove for good…' : 'Delete…'}
          </Button>
        </span>
      </header>
      <div
        key={hook.id}
        className="min-h-0 flex-1 overflow-auto"
        tabIndex={0}
        role="region"
        aria-label="Hook details"
      >
        <WhatToDo hook={hook} />
        <div className="px-5 pt-2 pb-8">
          <HookFacts hook={hook} />
          <Part title="Recent deliveries">
            <HookDeliveries hook={hook} />
          </Part>
          {!isOver && (
            <Part title="Response" note="What the receiver returns">
              <AnsweringEditor key={hook.id} hook={hook} />
            </Part>
          )}
          <Part title="Service record">
            <ServiceRecord hook={hook} />
          </Part>
        </div>
      </div>
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
  return (
    <Facts>
      <Fact name="URL">
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
            : hook.previousSecrets === 1
              ? '1 previous secret still verifies'
              : `${hook.previousSecrets} previous secrets still verify`
        }
      >
        <HookSecret key={hook.id} hook={hook} />
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
  const setHookDraft = useApp((state) => state.hooks.setDraft)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  if (hook.status === 'active') return null
  return (
    <div
      role="note"
      className={`flex flex-wrap items-center gap-3 border-b border-line px-5 py-2.5 ${hook.status === 'deleted' ? '' : 'bg-warn-wash'}`}
    >
      <p className="min-w-0 flex-1 basis-72">
        <span className="font-medium">{statusLooks[hook.status].meaning}</span>{' '}
        <span className="text-muted">
          {hook.status === 'gone' && 'Register it again, or delete this entry.'}
          {hook.status === 'unconfirmed' &&
            'Check with the service. If the hook exists, add its secret so its deliveries verify. If not, register it again and delete this entry.'}
        </span>
      </p>
      <Button
        kind={hook.status === 'gone' ? 'primary' : 'plain'}
        onClick={() => {
          setHookDraft(hook)
          openOverlay('register-hook')
        }}
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
