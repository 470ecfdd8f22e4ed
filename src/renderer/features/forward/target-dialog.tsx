/** Adds, edits and removes a target. Findings appear while typing; saving asks for consent to remote hosts and live environments. */
import { useState, type ReactNode } from 'react'
import type { ForwardAnswer, ForwardSign, ForwardTarget } from '../../../shared/model/forward.ts'
import { useData, useRead } from '../../data/use-read.ts'
import { useApp } from '../../state/use-app.ts'
import { outcomeOf } from '../../ui/call-problem.ts'
import { HostConfirmation, LiveConfirmation } from '../../ui/consent.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { ActionForm, OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { EndpointField, useEndpoint } from '../../ui/endpoint-field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { QueryField } from '../../ui/query-field.tsx'
import { TargetAuthorityField } from '../../ui/authority-field.tsx'
import { useForm, useSettled } from '../../ui/use-form.ts'
import { answers } from './target-words.tsx'
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import { handlerNameIn, withScheme } from '../../../shared/http.ts'
import { visibleText } from '../../ui/visible-text.ts'

type ForwardCheck = OutputOf<'forward.check'>

const answerKinds = Object.entries(answers) as [ForwardAnswer, (typeof answers)[ForwardAnswer]][]

/** The target that the overlay is about; null for a new one. */
function useTarget(): ForwardTarget | null {
  const about = useApp((state) => state.navigation.about)
  return useRead('forward.list', {}).output?.targets.find(({ id }) => id === about) ?? null
}

export function TargetDialog() {
  const target = useTarget()
  return (
    <OverlayDialog
      overlay="forward-target"
      title={target === null ? 'Add target' : 'Edit target'}
      description="An endpoint that each new delivery is forwarded to."
    >
      {(close) => <TargetForm key={target?.id ?? 'new'} target={target} onDone={close} />}
    </OverlayDialog>
  )
}

/** Consent needed before saving, asked one by one. */
interface Asked {
  readonly host: string | null
  readonly live: readonly string[]
}

function TargetForm({
  target,
  onDone,
}: {
  readonly target: ForwardTarget | null
  readonly onDone: () => void
}) {
  const { client } = useData()
  const select = useApp((state) => state.navigation.select)
  const [agreedHost, setAgreedHost] = useState<string | null>(null)
  const [asking, setAsking] = useState<Asked | null>(null)
  const byId = target === null ? {} : { id: target.id }
  const allowHosts = [...(target?.allowHosts ?? []), ...(agreedHost === null ? [] : [agreedHost])]
  const back = () => setAsking(null)
  const form = useForm<TargetDraft>({
    begin: () => (target === null ? newTarget : draftOfTarget(target)),
    check: (draft) => [...wrongName(draft), ...(advice.current ? advice.findings : [])],
    submit() {
      void saveOrAsk()
      return null
    },
    onChange: back,
  })
  const { draft, change, busy, problem, run } = form
  const { handler } = useEndpoint(draft.url)
  const advice = useTargetCheck(draft, target?.id ?? null, allowHosts)
  const action = target === null ? 'Add target' : 'Save target'

  const problemAt = (field: string): ReactNode => {
    const found = advice.findings.filter((finding) => finding.field === field)
    return found.length === 0 || !form.isTouched(field)
      ? undefined
      : found.map(({ message }) => message).join(' ')
  }
  const field: typeof form.field = (name) => ({ ...form.field(name), problem: problemAt(name) })
  const save = async (consent: { readonly host: string | null; readonly live: boolean }) => {
    const hosts = consent.host === null ? allowHosts : [...allowHosts, consent.host]
    const input = { ...settingsOf(draft), allowHosts: hosts, live: consent.live }
    const kept = await run(() =>
      outcomeOf(
        target === null
          ? client.call('forward.add', input)
          : client.call('forward.update', { ...input, id: target.id }),
      ),
    )
    if (kept === null) setAsking(null)
    else {
      select('forward', { id: kept.target.id })
      onDone()
    }
  }
  /** Checks the draft if it changed a moment ago, then asks for each missing consent. */
  const saveOrAsk = async () => {
    const check = advice.current
      ? advice
      : await client
          .call('forward.check', { ...settingsOf(draft), ...byId, allowHosts })
          // Submitting checks the form again.
          .catch(() => null)
    const live = (check?.liveEnvironments ?? []).filter(
      (name) => target?.liveEnvironments.includes(name) !== true,
    )
    if (check !== null && check.findings.length > 0) form.focusFirstInvalid()
    else if (check !== null && check.host !== null) setAsking({ host: check.host, live })
    else if (live.length > 0) setAsking({ host: null, live })
    else void save({ host: null, live: false })
  }

  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <EndpointField
        label="Forward to"
        facts={{
          registeredUrl: draft.registeredUrl.trim() || null,
          targetCa: draft.targetCa.trim() || null,
        }}
        {...field('url')}
      />
      <QueryField
        label="Filter"
        optional
        hint="Same syntax as search. Leave empty for all deliveries."
        {...field('query')}
      />
      <SelectField
        label="Response to the service"
        hint={answers[draft.answer].hint}
        value={draft.answer}
        onChange={(answer) => {
          const [kind] = answerKinds.find(([known]) => known === answer) ?? ['rule' as const]
          change({ answer: kind })
        }}
      >
        {answerKinds.map(([kind, { label }]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Signature"
        hint={
          draft.sign === 'now'
            ? 'Only valid, fresh deliveries are re-signed. Others are forwarded unchanged.'
            : 'Signature and timestamp stay unchanged, so delayed deliveries may be stale.'
        }
        value={draft.sign}
        onChange={(sign) => change({ sign: sign === 'as-received' ? 'as-received' : 'now' })}
      >
        <option value="now">Re-sign on send</option>
        <option value="as-received">As received</option>
      </SelectField>
      {draft.sign === 'now' && handler === null && (
        <TextField
          label="Signed URL"
          optional
          inputMode="url"
          placeholder="each hook's registered URL"
          hint="The URL your handler verifies against"
          {...field('registeredUrl')}
        />
      )}
      <TextField
        label="Name"
        optional
        placeholder="the host"
        problem={wrongName(draft)[0]?.message ?? problemAt('name')}
        value={draft.name}
        onChange={(name) => change({ name })}
      />
      {handler === null && <TargetAuthorityField target={draft.url} {...field('targetCa')} />}
      <CheckField checked={draft.on} onChange={(on) => change({ on })}>
        Forward new deliveries
      </CheckField>
      {problem !== null && <ProblemView problem={problem} />}
      {asking !== null && asking.host !== null ? (
        <HostConfirmation
          host={asking.host}
          action={`Forward deliveries to ${asking.host}`}
          busy={busy}
          onConfirm={() => {
            setAgreedHost(asking.host)
            if (asking.live.length > 0) setAsking({ ...asking, host: null })
            else void save({ host: asking.host, live: false })
          }}
          onBack={back}
        >
          Every matching delivery will leave this computer, signed and complete. The target
          remembers your choice.
        </HostConfirmation>
      ) : asking !== null ? (
        <LiveConfirmation
          environment={asking.live.join(', ')}
          action={busy ? 'Saving…' : `${action} for ${asking.live.join(', ')} (live)`}
          busy={busy}
          onConfirm={() => void save({ host: agreedHost, live: true })}
          onBack={back}
        >
          Live deliveries will be forwarded to this target, signed. To exclude them, add{' '}
          <span className="data">mode:test</span> to the filter.
        </LiveConfirmation>
      ) : (
        <FormFoot onCancel={onDone} action={action} busyWords="Saving…" busy={busy} />
      )}
    </form>
  )
}

const TYPING_PAUSE_MS = 300
const NOTHING: ForwardCheck = { findings: [], host: null, liveEnvironments: [] }

interface TargetAdvice extends ForwardCheck {
  /** Whether the result applies to the current draft. */
  readonly current: boolean
}

function useTargetCheck(
  draft: TargetDraft,
  id: string | null,
  allowHosts: readonly string[],
): TargetAdvice {
  // Check the rest even if the name is too long: its own field reports that.
  const known = wrongName(draft).length === 0 ? draft : { ...draft, name: '' }
  const about = JSON.stringify({ ...settingsOf(known), ...(id === null ? {} : { id }), allowHosts })
  const settled = useSettled(about, TYPING_PAUSE_MS)
  const { output, isEarlier } = useRead(
    'forward.check',
    JSON.parse(settled) as InputOf<'forward.check'>,
    { keep: true },
  )
  const current = settled === about && output !== undefined && !isEarlier
  return { ...(output ?? NOTHING), current }
}

/** Empty strings mean not set. */
interface TargetDraft {
  readonly name: string
  readonly url: string
  readonly query: string
  readonly answer: ForwardAnswer
  readonly sign: ForwardSign
  readonly registeredUrl: string
  readonly targetCa: string
  readonly on: boolean
}

/** The core's limit for names. */
const LONGEST_NAME = 60

/** Checks the name before calling the core. */
function wrongName({ name }: TargetDraft): ForwardCheck['findings'] {
  const { length } = name.trim()
  if (length <= LONGEST_NAME) return []
  return [{ field: 'name', message: `Use at most ${LONGEST_NAME} characters (${length} now).` }]
}

const newTarget: TargetDraft = {
  name: '',
  url: '',
  query: '',
  answer: 'rule',
  sign: 'now',
  registeredUrl: '',
  targetCa: '',
  on: true,
}

function draftOfTarget(target: ForwardTarget): TargetDraft {
  const { name, url, query, answer, sign, registeredUrl, targetCa, on } = target
  return {
    name,
    url,
    query,
    answer,
    sign,
    registeredUrl: registeredUrl ?? '',
    targetCa: targetCa ?? '',
    on,
  }
}

function settingsOf({ registeredUrl, targetCa, ...rest }: TargetDraft): InputOf<'forward.add'> {
  // A saved handler brings its own.
  const isSaved = handlerNameIn(rest.url) !== null
  return {
    ...rest,
    query: rest.query.trim(),
    // Deliveries forwarded unchanged have no signed URL.
    registeredUrl:
      isSaved || registeredUrl.trim() === '' || rest.sign === 'as-received'
        ? null
        : registeredUrl.trim(),
    // Plain HTTP has no certificate.
    targetCa:
      isSaved || targetCa.trim() === '' || /^http:/i.test(withScheme(rest.url.trim()))
        ? null
        : targetCa,
  }
}

function RemoveTargetDialog() {
  const target = useTarget()
  return (
    <OverlayDialog overlay="remove-target" ready={target !== null} title="Remove target">
      {(close) => target !== null && <RemoveForm target={target} onDone={close} />}
    </OverlayDialog>
  )
}

function RemoveForm({
  target,
  onDone,
}: {
  readonly target: ForwardTarget
  readonly onDone: () => void
}) {
  const { client } = useData()
  const { waiting } = target.queue
  return (
    <ActionForm
      call={() => outcomeOf(client.call('forward.remove', { id: target.id }))}
      onDone={onDone}
      action="Remove target"
      busyWords="Removing…"
      danger
    >
      <p className="wrap-anywhere">{visibleText(target.name)}</p>
      <p className="text-muted">
        Deliveries are no longer forwarded to it.{' '}
        {waiting > 0 &&
          `${waiting === 1 ? '1 pending delivery' : `${waiting} pending deliveries`} won't be sent. `}
        Captured deliveries and past results stay.
      </p>
    </ActionForm>
  )
}

export function ForwardDialogs() {
  return (
    <>
      <TargetDialog />
      <RemoveTargetDialog />
    </>
  )
}
