/** The state of the composer: draft, signing hook, problems, and sending. */
import { useEffect, useState } from 'react'
import { shallow } from 'zustand/shallow'
import { headerProblem } from '../../../shared/http.ts'
import { useAppStore, useParts } from '../../ui-state/use-app.ts'
import { useTargetAuthority } from '../../connected/authority-field.tsx'
import { useCallState } from '../../ui/use-call.ts'
import { type Captured, headerLines, paceOf, requestOf, type Draft } from './draft.ts'
import { changesOfDraft } from './draft-changes.ts'
import type { ReplaySource } from './replay-state.ts'
import { isTarget, registeredUrlOf, useReplayTarget } from './replay-target.ts'

export type ComposerState = ReturnType<typeof useComposer>

export interface ComposerProps {
  readonly source: ReplaySource
  /** Captured request; null for several deliveries. */
  readonly captured: Captured | null
  /** Draft to begin with, unless a changed one was kept. */
  readonly initialDraft: Draft
}

export function useComposer({ source, captured, initialDraft }: ComposerProps) {
  const { hooks } = useParts('core', 'hooks')
  const { start: startReplay, keepDraft } = useParts('replay', 'start', 'keepDraft')
  const store = useAppStore()
  const deliveries =
    source.kind === 'query' ? { query: source.query } : { ids: source.rows.map(({ id }) => id) }
  const subject = JSON.stringify(deliveries)
  const [draft, setDraft] = useState(
    () => store.getState().replay.drafts.get(subject) ?? initialDraft,
  )
  const [sentJob, setSentJob] = useState<string | null>(null)
  const [wantsAuthority, setWantsAuthority] = useState(
    source.kind === 'rows' && source.wantsAuthority === true,
  )
  const { busy, problem, run, clear } = useCallState()
  const registered = registeredUrlOf(source, hooks)
  const { handler, url: targetUrl } = useReplayTarget(draft.target, registered)
  // A saved handler brings its own certificate.
  const authority = useTargetAuthority(handler === null ? targetUrl : '')
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }))
  const original = captured?.original ?? null
  const changes = original === null ? [] : changesOfDraft(draft, original)
  const changedDraft = shallow(draft, initialDraft) ? null : draft
  useEffect(() => keepDraft(subject, changedDraft), [keepDraft, subject, changedDraft])
  const hookId = draft.hookId === '' ? (captured?.delivery.hookId ?? null) : draft.hookId
  const hook = hooks.find(({ id }) => id === hookId) ?? null
  const pace = paceOf(draft)
  const badHeader = headerLines(draft.headers).some(
    ({ name, value }) => headerProblem(name, value) !== null,
  )
  const lacksSecret =
    captured !== null &&
    draft.signature === 'recompute' &&
    draft.tamper !== 'no-signature' &&
    hook === null &&
    handler?.hasSecret !== true
  const ready = pace !== null && isTarget(draft.target) && !badHeader && !lacksSecret && !busy
  const request = requestOf(draft, original)
  const send = async () => {
    if (!ready || pace === null) return
    const job = await run(() =>
      startReplay({ ...deliveries, ...request, ...pace, targetCa: authority.targetCa }),
    )
    if (job === null) return
    authority.remember()
    setWantsAuthority(false)
    setSentJob(job.id)
  }
  return {
    draft,
    setDraft,
    change,
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
    send,
  }
}
