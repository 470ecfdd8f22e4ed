/** The composer's form, shown once its data is loaded. */
import { Send, Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { shallow } from 'zustand/shallow'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { headerProblem } from '../../../shared/http.ts'
import { responseWords } from '../../../shared/model/outcomes.ts'
import { isKeyOf, pressOf } from '../../ui-state/key-map.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts, useAppStore, useParts } from '../../ui-state/use-app.ts'
import { TargetCaCertificateField, useTargetAuthority } from '../../ui/authority-field.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef, namedHandler } from '../../ui/endpoint-offers.ts'
import { CheckField, SelectField, controlStyle } from '../../ui/field.tsx'
import { findingsAtField } from '../../ui/finding-text.tsx'
import { ActionKeys, isApple } from '../../ui/keys.tsx'
import { SendMark } from '../../ui/outcome-mark.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import { accountOf, doneOf } from './account.ts'
import {
  type Captured,
  changesOfDraft,
  commandOf,
  CURL_HINT,
  curlOf,
  headerLines,
  paceOf,
  requestOf,
  type Draft,
  type DraftChange,
} from './draft.ts'
import type { ReplaySource } from './replay-slice.ts'
import { isTimestamp, RequestPane } from './request-pane.tsx'
import { SigningFields } from './signing-fields.tsx'
import {
  hasSeveralEndpoints,
  isTarget,
  registeredUrlOf,
  TargetField,
  useReplayTarget,
} from './target-field.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'

/** Offered beside the captured one. The service sends POST; a handler must reject the others. */
const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

export function ComposerForm({
  source,
  captured,
  fresh,
  onDone,
}: {
  readonly source: ReplaySource
  /** Null for several deliveries. */
  readonly captured: Captured | null
  /** The draft to begin with, unless another was kept. */
  readonly fresh: Draft
  readonly onDone: () => void
}) {
  const { hooks, handlers } = useParts('core', 'hooks', 'handlers')
  const { start: startReplay, keepDraft } = useParts('replay', 'start', 'keepDraft')
  const store = useAppStore()
  const what =
    source.kind === 'query' ? { query: source.query } : { ids: source.rows.map(({ id }) => id) }
  const subject = JSON.stringify(what)
  const [draft, setDraft] = useState(() => store.getState().replay.drafts.get(subject) ?? fresh)
  const [sentJob, setSentJob] = useState<string | null>(null)
  const [wantsAuthority, setWantsAuthority] = useState(
    source.kind === 'rows' && source.wantsAuthority === true,
  )
  const { busy, problem, run, clear } = useOutcome()
  const registered = registeredUrlOf(source, hooks)
  const { handler, url: address } = useReplayTarget(draft.target, registered)
  // A saved handler brings its own certificate.
  const authority = useTargetAuthority(handler === null ? address : '')
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const original = captured?.original ?? null
  const changes = original === null ? [] : changesOfDraft(draft, original)
  const kept = shallow(draft, fresh) ? null : draft
  useEffect(() => keepDraft(subject, kept), [keepDraft, subject, kept])
  const hookId = draft.hookId === '' ? (captured?.delivery.hookId ?? null) : draft.hookId
  const hook = hooks.find(({ id }) => id === hookId) ?? null
  const pace = paceOf(draft)
  const badHeader = headerLines(draft.headers).some(
    ({ name, value }) => headerProblem(name, value) !== null,
  )
  const noSecret =
    captured !== null &&
    draft.signature === 'recompute' &&
    draft.tamper !== 'no-signature' &&
    hook === null &&
    handler?.hasSecret !== true
  const ready = pace !== null && isTarget(draft.target) && !badHeader && !noSecret && !busy
  const request = requestOf(draft, original)
  const command =
    captured === null ? null : commandOf(draft, captured.original, captured.delivery.id)

  const send = async () => {
    if (!ready || pace === null) return
    const job = await run(() =>
      startReplay({ ...what, ...request, ...pace, targetCa: authority.targetCa }),
    )
    if (job === null) return
    authority.remember()
    setWantsAuthority(false)
    setSentJob(job.id)
  }
  const paceField = (
    name: 'repeat' | 'concurrency' | 'rate',
    label: string,
    hint?: string,
    placeholder?: string,
  ) => (
    <label className="flex items-center gap-2 text-small whitespace-nowrap text-muted" title={hint}>
      {label}
      <input
        inputMode="decimal"
        autoComplete="off"
        value={draft[name]}
        placeholder={placeholder}
        aria-invalid={pace === null}
        onChange={(event) => change({ [name]: event.currentTarget.value })}
        className={classNames(controlStyle, 'data', name === 'rate' ? 'max-w-22' : 'max-w-12')}
      />
    </label>
  )
  return (
    <div
      className="@container flex min-h-0 flex-1 flex-col"
      onKeyDown={(event) => {
        if (!isKeyOf('composer-send', pressOf(event), isApple)) return
        event.preventDefault()
        void send()
      }}
    >
      <div className="flex min-h-0 flex-1 @max-[820px]:flex-col @max-[820px]:overflow-auto">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col @max-[820px]:min-h-[440px] @max-[820px]:shrink-0">
          <div className="flex shrink-0 items-start gap-3 border-b border-line px-5 py-3">
            {original !== null && (
              <div className="w-26 shrink-0">
                <SelectField
                  label="Method"
                  data
                  choices={[...new Set([original.method, ...METHODS])].map((value) => ({
                    value,
                    label: value,
                  }))}
                  value={draft.method}
                  onChange={(method) => change({ method })}
                />
              </div>
            )}
            <div className="min-w-0 flex-1">
              <TargetField
                target={draft.target}
                onTarget={(target) => {
                  // A saved handler brings its own secret and registered URL.
                  change(
                    namedHandler(target, handlers) === null
                      ? { target }
                      : { target, hookId: '', signedUrl: '' },
                  )
                }}
                registered={registered}
              />
            </div>
          </div>
          {captured === null ? (
            <Several source={source} />
          ) : (
            <RequestPane
              draft={draft}
              captured={captured}
              onChange={change}
              previewInput={{ ...request, id: captured.delivery.id }}
            />
          )}
        </div>
        <section
          aria-label="Options"
          tabIndex={0}
          className="w-[368px] shrink-0 overflow-auto border-l border-line bg-ground @max-[820px]:w-auto @max-[820px]:border-t @max-[820px]:border-l-0"
        >
          {captured !== null && (
            <div className="border-b border-line px-5 py-3">
              <div className="mb-1 flex min-h-6 items-center">
                <h3 className="flex-1 font-medium">Changes</h3>
                {changes.length > 0 && (
                  <Button
                    kind="quiet"
                    className="h-6 px-1.5 text-small text-accent!"
                    onClick={() =>
                      setDraft((now) => changes.reduce((reverted, { undo }) => undo(reverted), now))
                    }
                  >
                    Revert all
                  </Button>
                )}
              </div>
              <ChangeStrip changes={changes} onUndo={(undo) => setDraft(undo)} />
            </div>
          )}
          <div className="border-b border-line px-5 py-3 empty:hidden">
            {handler === null && (
              <TargetCaCertificateField
                target={address}
                several={address === '' && hasSeveralEndpoints(source, hooks)}
                value={authority.value}
                problem={findingsAtField(problem?.findings ?? [], 'targetCa')}
                wanted={wantsAuthority}
                onChange={(caPem) => {
                  authority.change(caPem)
                  clear()
                }}
              />
            )}
          </div>
          <div className="border-b border-line px-5 py-3">
            <SigningFields
              draft={draft}
              onChange={change}
              hooks={hooks}
              hook={hook}
              handler={handler}
              several={captured === null}
              bodyChanged={original !== null && draft.text !== original.text}
            />
          </div>
        </section>
      </div>
      {problem !== null && (
        <div className="shrink-0 border-t border-line px-5 py-2">
          <ProblemView problem={problem} covered={['targetCa']} />
        </div>
      )}
      {sentJob !== null && !busy && (
        <div className="shrink-0 border-t border-line px-5 py-1.5">
          <ComposedResult jobId={sentJob} onAuthority={() => setWantsAuthority(true)} />
        </div>
      )}
      <footer className="flex min-h-13 shrink-0 flex-wrap items-center gap-x-3.5 gap-y-2 border-t border-line px-5 py-2">
        {captured !== null && draft.tamper === null && (
          <CurlCopy
            input={{ ...request, id: captured.delivery.id }}
            draft={draft}
            hookId={hookId}
          />
        )}
        {command !== null && (
          <CopyButton
            text={command}
            label="Copy command (countersign replay)"
            caption="Copy command"
          />
        )}
        <span className="flex-1" />
        {paceField('repeat', 'Repeat')}
        {paceField('concurrency', 'Concurrency', 'Concurrency 1 preserves order')}
        {paceField('rate', 'Max per second', undefined, 'No limit')}
        {pace === null && (
          <p className="text-small text-bad" role="alert">
            Max 1,000 repeats, 64 concurrent, 100,000 per second
          </p>
        )}
        <span className="ml-auto flex items-center gap-3">
          <Button onClick={onDone}>Close</Button>
          <Button
            kind="primary"

            icon={Send}
            disabled={!ready}
            onClick={() => void send()}
          >
            {busy
              ? 'Sending…'
              : `${sentJob === null ? 'Send' : 'Send again'}${handler === null ? '' : ` to ${handlerRef(handler)}`}`}
            <ActionKeys action="composer-send" />
          </Button>
        </span>
      </footer>
    </div>
  )
}

function Several({ source }: { readonly source: ReplaySource }) {
  return (
    <div className="px-5 py-4">
      <p>
        {source.kind === 'rows'
          ? source.rows.length === 1
            ? '1 delivery will be sent.'
            : `${source.rows.length.toLocaleString('en')} deliveries will be sent, oldest first.`
          : source.query === ''
            ? 'All stored deliveries will be sent, oldest first.'
            : 'All matching deliveries will be sent, oldest first:'}
      </p>
      {source.kind === 'query' && source.query !== '' && (
        <p className="data mt-1 wrap-anywhere text-muted">{source.query}</p>
      )}
      <p className="mt-2 max-w-[560px] text-muted">
        Each keeps its captured method, headers and body. Above 25, you'll see the count and
        confirm. To change a request, replay a single delivery.
      </p>
    </div>
  )
}

/** Copies the request as a curl command that signs when run. */
function CurlCopy({
  input,
  draft,
  hookId,
}: {
  readonly input: InputOf<'replay.preview'>
  readonly draft: Draft
  readonly hookId: string | null
}) {
  const { client } = useData()
  const revealSecret = useApp((state) => state.hooks.revealSecret)
  const { environments, status } = useParts('core', 'environments', 'status')
  const [inClear, setInClear] = useState(false)
  const signs = draft.signature === 'recompute'
  const copy = async () => {
    try {
      const [made, secret] = await Promise.all([
        client.call('replay.preview', input),
        inClear && signs && hookId !== null ? revealSecret(hookId) : null,
      ])
      const timestamp =
        draft.timestamp === 'now'
          ? null
          : (made.headers.find(([name]) => isTimestamp(name, environments))?.[1] ?? null)
      return curlOf(made, { state: { environments, status }, timestamp, secret })
    } catch {
      return null
    }
  }
  return (
    <span className="flex items-center gap-3">
      <CopyButton text={copy} label="Copy as cURL (re-signed)" caption="Copy as cURL" />
      {signs && (
        <span className="text-small text-muted" title={inClear ? '' : CURL_HINT}>
          <CheckField checked={inClear} onChange={setInClear}>
            Include secret
          </CheckField>
        </span>
      )}
    </span>
  )
}

function ChangeStrip({
  changes,
  onUndo,
}: {
  readonly changes: readonly DraftChange[]
  readonly onUndo: (undo: (draft: Draft) => Draft) => void
}) {
  if (changes.length === 0) return <p className="text-small text-muted">None</p>
  return (
    <ul aria-label="Changes">
      {changes.map((change) => (
        <li key={change.name} className="flex min-h-7 items-center gap-3">
          <span
            className={classNames(
              'min-w-0 flex-[0_1_auto] truncate text-small',
              change.at !== null && 'data',
            )}
            title={visibleText(change.name)}
          >
            <ExactText text={change.name} />
          </span>
          <span
            className="data min-w-0 flex-1 truncate text-small"
            title={visibleText(`${change.before ?? ''} → ${change.after ?? ''}`)}
          >
            {change.before !== null && (
              <del className="text-muted decoration-bad">{visibleText(change.before)}</del>
            )}
            {change.before !== null && change.after !== null && (
              <span className="text-subtle"> → </span>
            )}
            {change.after !== null && (
              <ins className="no-underline">{visibleText(change.after)}</ins>
            )}
          </span>
          <IconButton
            label={`Undo: ${change.name}`}
            icon={Undo2}
            className="size-6"
            onClick={() => onUndo(change.undo)}
          />
        </li>
      ))}
    </ul>
  )
}

function ComposedResult({
  jobId,
  onAuthority,
}: {
  readonly jobId: string
  /** Shows the field for the CA certificate. */
  readonly onAuthority: () => void
}) {
  const { job, showReplays, cancelReplay, go } = useAppParts((state) => ({
    job: state.core.replays?.find(({ id }) => id === jobId),
    showReplays: state.replay.show,
    cancelReplay: state.replay.cancel,
    go: state.navigation.go,
  }))
  const isOne = job?.total === 1
  const { output } = useRead('replay.sends', isOne ? { jobId, limit: 1 } : null)
  const send = output?.sends[0]
  if (job === undefined) return null
  return (
    <div role="status" className="flex min-w-0 items-center gap-3">
      {isOne ? (
        send !== undefined && (
          <>
            <span className="shrink-0">
              <SendMark send={send} />
            </span>
            <span className="data shrink-0">{responseWords(send.status, send.ms)}</span>
            <span
              className="line-clamp-2 min-w-0 text-small wrap-anywhere text-muted"
              title={visibleText(send.error ?? send.target)}
            >
              {visibleText(
                send.error === null ? `to ${send.target}` : `to ${send.target}: ${send.error}`,
              )}
            </span>
          </>
        )
      ) : (
        <span className="min-w-0 truncate">
          {job.state === 'running'
            ? `${doneOf(job).toLocaleString('en')} of ${job.total.toLocaleString('en')}: `
            : job.total === 0
              ? 'No deliveries match. '
              : ''}
          {job.problem ?? accountOf(job)}
        </span>
      )}
      <Button
        kind="quiet"
        className="h-6 px-1.5 text-small"
        onClick={() => {
          if (send === undefined) showReplays(jobId)
          else go('deliveries', { id: send.deliveryId, tab: 'history' })
        }}
      >
        Show
      </Button>
      {isOne && send?.errorKind === 'certificate' && (
        <Button kind="quiet" className="h-6 shrink-0 px-1.5 text-small" onClick={onAuthority}>
          Add CA certificate…
        </Button>
      )}
      {job.state === 'running' && !isOne && (
        <Button
          kind="quiet"
          className="h-6 px-1.5 text-small"
          onClick={() => void cancelReplay(jobId)}
        >
          Cancel
        </Button>
      )}
    </div>
  )
}
