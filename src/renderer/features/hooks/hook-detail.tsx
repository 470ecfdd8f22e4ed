/** Details of the selected hook: facts, secret, deliveries, response rule and service record. */
import { Pencil, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { counted } from '../../../shared/text/english.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactLines, ExactText, MiddleTruncated, UrlText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { calendarDay, clockTime, exactTime } from '../../ui/moment.ts'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { EventLabel } from '../../ui/tinted-event.tsx'
import { eventColor } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { HookDeliveries } from './hook-deliveries.tsx'
import {
  HookStatus,
  kindWords,
  statusStyles,
  unknownFields,
  useVerifiesOnly,
} from './hook-facts.tsx'
import { HookFieldsPart } from './hook-fields.tsx'
import { HookSecret } from './hook-secret.tsx'
import { useProgramsOf } from './use-environments.ts'
import { ResponseRule } from './response-rule.tsx'

export function HookDetail({ hook }: { readonly hook: Hook }) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const isDeleted = hook.status === 'deleted'
  const cannotEdit = hook.remoteId === null
  return (
    <DetailPane label="Hook" pane="hook">
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line py-2 pr-3 pl-5">
        <h2 className="flex min-w-0 flex-1 basis-60 items-center gap-3">
          <HookStatus hook={hook} large />
          <EventLabel event={hook.event} className={eventColor(hook.event)} />
        </h2>
        <span className="flex items-center gap-1">
          {!isDeleted && (
            <Button
              icon={Pencil}
              disabled={cannotEdit}
              title={
                cannotEdit
                  ? "Can't be edited here: the service's ID of this hook is unknown"
                  : undefined
              }
              onClick={() => openOverlay('edit-hook')}
            >
              Edit…
            </Button>
          )}
          <Button icon={Trash2} onClick={() => openOverlay('delete-hook')}>
            {isDeleted ? 'Remove for good…' : 'Delete…'}
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
          <Part title="Fields" note="What the payloads contain">
            <HookFieldsPart hook={hook} />
          </Part>
          {!isDeleted && (
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
  const program = useProgramsOf(hook.environment).nameOf(hook.programId)
  return (
    <Facts>
      <Fact name="URL" note={note}>
        <span className="data">
          <UrlText url={hook.url} />
        </span>{' '}
        <CopyButton text={hook.url} label="Copy URL" className="-my-1" />
      </Fact>
      <Fact name="Environment">
        <EnvironmentName name={hook.environment} mode={hook.mode} />
      </Fact>
      <Fact name="Kind">{kindWords(hook.kind)}</Fact>
      {hook.kind !== 'brand' && (
        <Fact name="Program">
          {program !== undefined && <p>{visibleText(program)}</p>}
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
      <MiddleTruncated text={value} tail={12} />{' '}
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
