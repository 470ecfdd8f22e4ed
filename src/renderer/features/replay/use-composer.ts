/** The state of the composer: draft, signing hook, problems, and sending. */
import { useEffect, useState, type KeyboardEvent } from 'react'
import { shallow } from 'zustand/shallow'
import { headerProblem } from '../../../shared/http.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { isKeyOf, pressOf } from '../../ui-state/key-reader.ts'
import { useAppStore, useParts } from '../../ui-state/use-app.ts'
import { useTargetAuthority } from '../../connected/authority-field.tsx'
import { namedHandler } from '../../ui/endpoint-offers.ts'
import { isApple } from '../../ui/keys.tsx'
import { type Captured, type Draft, headerLines, paceOf, requestOf } from './draft.ts'
import { hookOfEvent } from './new-request-parts.ts'
import { changesOfDraft } from './draft-changes.ts'
import type { ReplaySource } from './replay-state.ts'
import { isTarget, registeredUrlOf, useReplayTarget } from './replay-target.ts'
import { useComposerSends } from './use-composer-sends.ts'

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
  const { keepDraft } = useParts('replay', 'keepDraft')
  const store = useAppStore()
  const isNew = source.kind === 'new'
  const deliveries = deliveriesOf(source)
  const subject = JSON.stringify(isNew ? { isNew } : deliveries)
  const [draft, setDraft] = useState(
    () => store.getState().replay.drafts.get(subject) ?? initialDraft,
  )
  const [wantsAuthority, setWantsAuthority] = useState(
    source.kind === 'rows' && source.wantsAuthority === true,
  )
  const sends = useComposerSends()
  const { busy, problem, clear, sentReplay, composed } = sends
  const ownHookId = isNew
    ? hookOfEvent(draft.event, hooks, environments)
    : (captured?.delivery.hookId ?? null)
  const hookId = draft.hookId === '' ? ownHookId : draft.hookId
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
  const hasSecret =
    hook !== null || handler?.hasSecret === true || (isNew && handler?.hookId != null)
  const lacksSecret = captured !== null && needsSecret(draft) && !hasSecret
  const ready =
    pace !== null && isTarget(draft.target) && !hasBadHeader(draft) && !lacksSecret && !busy
  const request = requestOf(draft, original)
  /** Sends the request; `takesName` takes a new request's name from the one that has it. */
  const send = async ({ takesName = false } = {}) => {
    if (!ready || pace === null) return
    const parts = { draft, original, request, deliveries, targetCa: authority.targetCa }
    const isSent = await (isNew
      ? sends.sendNew({ ...parts, hookId: signerOf(draft, handler, hookId), takesName })
      : sends.sendCaptured({ ...parts, pace, changeCount: changes.length }))
    if (!isSent) return
    authority.remember()
    setWantsAuthority(false)
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
    sentReplay,
    composed,
    send,
    sendByKey: (event: KeyboardEvent) => {
      if (!isKeyOf('composer-send', pressOf(event), isApple)) return
      event.preventDefault()
      void send()
    },
  }
}

/** Returns the deliveries of a replay, no IDs for a new request. */
export function deliveriesOf(source: ReplaySource) {
  if (source.kind === 'query') return { query: source.query }
  return { ids: source.kind === 'rows' ? source.rows.map(({ id }) => id) : [] }
}

function hasBadHeader({ headers }: Draft): boolean {
  return headerLines(headers).some(({ name, value }) => headerProblem(name, value) !== null)
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

/** Returns the hook that signs a new request; null if its handler's secret or hook does. */
function signerOf({ hookId: chosen }: Draft, handler: SavedHandler | null, hookId: string | null) {
  const hasOwn = handler !== null && (handler.hasSecret || handler.hookId !== null)
  return hasOwn && chosen === '' ? null : hookId
}
