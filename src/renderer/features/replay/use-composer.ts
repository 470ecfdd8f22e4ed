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
import { type Captured, headerLines, paceOf, requestOf, type Draft } from './draft.ts'
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
  const { hooks, handlers } = useParts('core', 'hooks', 'handlers')
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
  const hasSecret = hook !== null || handler?.hasSecret === true
  const lacksSecret = captured !== null && needsSecret(draft) && !hasSecret
  const ready = pace !== null && isTarget(draft.target) && !badHeader && !lacksSecret && !busy
  const request = requestOf(draft, original)
  const send = async () => {
    if (!ready || pace === null) return
    const job = await run(() =>
      startReplay(
        { ...deliveries, ...request, ...pace, targetCa: authority.targetCa },
        sentWords(draft, changes.length),
      ),
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
function sentWords({ tamper, signature }: Draft, changeCount: number): string {
  const words = [
    ...(tamper === null || signature !== 'recompute' ? [] : [tamperWords[tamper].label]),
    ...(changeCount === 0 ? [] : [counted(changeCount, 'change')]),
    ...(signature === 'keep' ? ['captured signature'] : []),
    ...(signature === 'drop' ? ['no signature'] : []),
  ]
  return words.length === 0 ? 'as captured' : words.join(', ')
}
