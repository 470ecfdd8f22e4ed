/** The state of the composer: draft, signing hook, problems, and sending. */
import { useEffect, useState, type KeyboardEvent } from 'react'
import { shallow } from 'zustand/shallow'
import { headerProblem } from '../../../shared/http.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { counted } from '../../../shared/text/english.ts'
import { isKeyOf, pressOf } from '../../ui-state/key-reader.ts'
import { useAppStore, useParts } from '../../ui-state/use-app.ts'
import { useTargetAuthority } from '../../connected/authority-field.tsx'
import { namedHandler } from '../../ui/endpoint-offers.ts'
import { isApple } from '../../ui/keys.tsx'
import { useCallState } from '../../ui/use-call.ts'
import {
  type Captured,
  composedOf,
  type Draft,
  headerLines,
  type Original,
  type Pace,
  paceOf,
  requestOf,
} from './draft.ts'
import { hookOfEvent } from './new-request-parts.ts'
import { changesOfDraft } from './draft-changes.ts'
import type { ReplaySource } from './replay-state.ts'
import { isTarget, registeredUrlOf, useReplayTarget } from './replay-target.ts'
import { tamperWords } from './signing-fields.tsx'

export type ComposerState = ReturnType<typeof useComposer>

export interface ComposerProps {
  readonly source: ReplaySource
  /** Captured request; null for several deliveries. */
  readonly captured: Captured | null
  /** Draft to begin with, unless a changed one was kept. */
  readonly initialDraft: Draft
}

export function useComposer({ source, captured, initialDraft }: ComposerProps) {
  const { hooks, handlers, environments } = useParts('core', 'hooks', 'handlers', 'environments')
  const {
    start: startReplay,
    sendComposed,
    keepDraft,
  } = useParts('replay', 'start', 'sendComposed', 'keepDraft')
  const store = useAppStore()
  const isNew = source.kind === 'new'
  const deliveries =
    source.kind === 'query'
      ? { query: source.query }
      : { ids: source.kind === 'new' ? [] : source.rows.map(({ id }) => id) }
  const subject = JSON.stringify(isNew ? { isNew } : deliveries)
  const [draft, setDraft] = useState(
    () => store.getState().replay.drafts.get(subject) ?? initialDraft,
  )
  const [sentJob, setSentJob] = useState<string | null>(null)
  const [composed, setComposed] = useState<{ readonly id: string; readonly name: string } | null>(
    null,
  )
  const [wantsAuthority, setWantsAuthority] = useState(
    source.kind === 'rows' && source.wantsAuthority === true,
  )
  const { busy, problem, run, clear } = useCallState()
  const hookId =
    draft.hookId !== ''
      ? draft.hookId
      : isNew
        ? hookOfEvent(draft.event, hooks, environments)
        : (captured?.delivery.hookId ?? null)
  const hook = hooks.find(({ id }) => id === hookId) ?? null
  const registered = isNew ? (hook?.url ?? null) : registeredUrlOf(source, hooks)
  const { handler, url: targetUrl } = useReplayTarget(draft.target, registered)
  // A saved handler brings its own certificate.
  const authority = useTargetAuthority(handler === null ? targetUrl : '')
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const original = captured?.original ?? null
  const changes = original === null || isNew ? [] : changesOfDraft(draft, original)
  const changedDraft = shallow(draft, initialDraft) ? null : draft
  useEffect(() => keepDraft(subject, changedDraft), [keepDraft, subject, changedDraft])
  const pace = paceOf(draft)
  const badHeader = headerLines(draft.headers).some(
    ({ name, value }) => headerProblem(name, value) !== null,
  )
  const hasSecret = hook !== null || handler?.hasSecret === true
  const lacksSecret = captured !== null && needsSecret(draft) && !hasSecret
  const ready = pace !== null && isTarget(draft.target) && !badHeader && !lacksSecret && !busy
  const request = requestOf(draft, original)
  const sendNew = async (kept: Original, takesName: boolean) => {
    // A handler's own secret signs before the event's hook.
    const signer = handler?.hasSecret === true && draft.hookId === '' ? null : hookId
    const request = composedOf(draft, kept, signer)
    const replace = request.name !== null && (takesName || draft.name === composed?.name)
    const input = { ...request, replace }
    const sent = await run(() =>
      sendComposed({ ...input, targetCa: authority.targetCa }, sentWords(draft, 0, 'as written')),
    )
    if (sent === null) return null
    setComposed({ id: sent.id, name: draft.name })
    return sent.job
  }
  const sendCaptured = (chosenPace: Pace) =>
    run(() =>
      startReplay(
        { ...deliveries, ...request, ...chosenPace, targetCa: authority.targetCa },
        sentWords(draft, changes.length),
      ),
    )
  /** Sends the request; `takesName` takes a new request's name from the one that has it. */
  const send = async ({ takesName = false } = {}) => {
    if (!ready || pace === null) return
    const job = await (isNew && original !== null
      ? sendNew(original, takesName)
      : sendCaptured(pace))
    if (job === null) return
    authority.remember()
    setWantsAuthority(false)
    setSentJob(job.id)
  }
  return {
    isNew,
    draft,
    setDraft,
    change,
    changeTarget: (target: string) => change(targetPart(target, handlers)),
    original,
    request,
    registered,
    handler,
    targetUrl,
    authority,
    wantsAuthority,
    setWantsAuthority,
    hook,
    hookId,
    hooks,
    pace,
    changes,
    ready,
    busy,
    problem,
    clear,
    sentJob,
    composed,
    send,
    sendByKey: (event: KeyboardEvent) => {
      if (!isKeyOf('composer-send', pressOf(event), isApple)) return
      event.preventDefault()
      void send()
    },
  }
}

/** Returns a new target's part of the draft; a saved handler has its own secret and URL. */
function targetPart(target: string, handlers: readonly SavedHandler[]): Partial<Draft> {
  return namedHandler(target, handlers) === null
    ? { target }
    : { target, hookId: '', signedUrl: '' }
}

function needsSecret({ signature, tamper }: Draft): boolean {
  return signature === 'recompute' && tamper !== 'no-signature'
}

/** Describes how a request differs from the captured one: `2 changes`, `Wrong secret`. */
function sentWords(
  { tamper, signature }: Draft,
  changeCount: number,
  unchanged = 'as captured',
): string {
  const words = [
    ...(tamper === null || signature !== 'recompute' ? [] : [tamperWords[tamper].label]),
    ...(changeCount === 0 ? [] : [counted(changeCount, 'change')]),
    ...(signature === 'keep' ? ['captured signature'] : []),
    ...(signature === 'drop' ? ['no signature'] : []),
  ]
  return words.length === 0 ? unchanged : words.join(', ')
}
