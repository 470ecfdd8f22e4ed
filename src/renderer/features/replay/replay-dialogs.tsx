import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { eventWord } from '../../ui/verdict.tsx'
import { Button } from '../../ui/button.tsx'
import type { ReplaySource } from './replay-slice.ts'
import { ReplaysPanel } from './replays-panel.tsx'
import { TargetCaCertificateField, useTargetAuthority } from '../../ui/authority-field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm, type Form } from '../../ui/use-form.ts'
import {
  hasSeveralEndpoints,
  isTarget,
  registeredUrlOf,
  TargetField,
  useFirstEndpoint,
  useReplayTarget,
} from './target-field.tsx'
import { utf8Text } from '../../../shared/body/encoding.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { Banner } from '../../ui/message.tsx'
import { fromBase64 } from '../../ui/bytes.ts'
import { useRead } from '../../core-data/use-read.ts'
import { ComposerForm } from './composer-form.tsx'
import { LONGEST_EDITED, newDraft } from './draft.ts'

function titleOf(source: ReplaySource): string {
  if (source.kind === 'query')
    return source.query === '' ? 'Replay all deliveries' : 'Replay matching deliveries'
  return source.rows.length === 1
    ? 'Replay with changes'
    : `Replay ${source.rows.length.toLocaleString('en')} deliveries`
}

/** The target dialog's words for one or several deliveries and hooks. For a query, both numbers are unknown. */
export function whereWords(source: ReplaySource): {
  readonly title: string
  readonly description: string
} {
  const isOne = source.kind === 'rows' && source.rows.length === 1
  const isOfOneHook =
    source.kind === 'rows' && new Set(source.rows.map(({ hookId }) => hookId)).size === 1
  return {
    title: `Choose where to send ${isOne ? 'it' : 'them'}`,
    description: `Later replays for ${isOfOneHook ? 'this hook' : 'these hooks'} go there directly.`,
  }
}

export function ReplayDialogs() {
  const { overlay, closeOverlay } = useParts('navigation', 'overlay', 'closeOverlay')
  const source = useApp((state) => state.replay.source)
  const only = source?.kind === 'rows' && source.rows.length === 1 ? source.rows[0] : undefined
  return (
    <>
      <Dialog
        open={overlay === 'replays'}
        onClose={closeOverlay}
        title="Replays"
        description="Deliveries sent again, newest first."
        large
      >
        <ReplaysPanel onLeave={closeOverlay} />
      </Dialog>
      <Dialog
        open={overlay === 'replay-target' && source !== null}
        onClose={closeOverlay}
        {...(source === null ? { title: '' } : whereWords(source))}
      >
        {source !== null && <TargetForm source={source} onDone={closeOverlay} />}
      </Dialog>
      <Dialog
        open={overlay === 'replay-composer' && source !== null}
        onClose={closeOverlay}
        title={source === null ? '' : titleOf(source)}
        {...(only === undefined
          ? {}
          : { description: `${eventWord(only).text} ${shortIdOf(only.id)}` })}
        large
      >
        {source !== null && <Composer source={source} onDone={closeOverlay} />}
      </Dialog>
    </>
  )
}

// Asks for the target of a hook's first replay.

function TargetForm({
  source,
  onDone,
}: {
  readonly source: ReplaySource
  readonly onDone: () => void
}) {
  const hooks = useApp((state) => state.core.hooks)
  const {
    start: startReplay,
    giveUpStart,
    compose: composeReplay,
  } = useParts('replay', 'start', 'giveUpStart', 'compose')
  const first = useFirstEndpoint(source)
  const form: Form<{ readonly typed: string | null }> = useForm({
    begin: (): { readonly typed: string | null } => ({ typed: null }),
    submit() {
      if (!isTarget(target)) return null
      const to = target.trim() === '' ? null : target.trim()
      const what =
        source.kind === 'query' ? { query: source.query } : { ids: source.rows.map(({ id }) => id) }
      return startReplay({ ...what, to, targetCa: authority.targetCa })
    },
    onDone() {
      authority.remember()
      onDone()
    },
  })
  const { draft, busy, problem } = form
  const target = draft.typed ?? first ?? ''
  const registered = registeredUrlOf(source, hooks)
  const { handler, url: address } = useReplayTarget(target, registered)
  // A saved handler brings its own certificate.
  const authority = useTargetAuthority(handler === null ? address : '')
  if (first === null) return null
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <TargetField
        target={target}
        onTarget={(typed) => form.change({ typed })}
        registered={registered}
      />
      {handler === null && (
        <TargetCaCertificateField
          target={address}
          several={address === '' && hasSeveralEndpoints(source, hooks)}
          value={authority.value}
          problem={form.problemAt('targetCa')}
          onChange={(caPem) => {
            authority.change(caPem)
            form.change({})
          }}
        />
      )}
      {problem !== null && <ProblemView problem={problem} covered={['targetCa']} />}
      <FormFoot
        onCancel={() => {
          giveUpStart()
          onDone()
        }}
        action="Replay"
        busyWords="Sending…"
        busy={busy}
        disabled={!isTarget(target)}
        aside={
          <Button kind="quiet" className="mr-auto" onClick={() => composeReplay(source)}>
            With changes…
          </Button>
        }
      />
    </form>
  )
}

// The replay composer: request, target, signature and pace. One delivery can be edited; several are sent as captured. The composer
// stays open after sending, to change and send again.

function Composer({
  source,
  onDone,
}: {
  readonly source: ReplaySource
  readonly onDone: () => void
}) {
  const first = useFirstEndpoint(source)
  const only = source.kind === 'rows' && source.rows.length === 1 ? source.rows[0] : undefined
  if (first === null) return null
  return only === undefined ? (
    <ComposerForm source={source} captured={null} fresh={newDraft(null, first)} onDone={onDone} />
  ) : (
    <OneDelivery row={only} source={source} first={first} onDone={onDone} />
  )
}

function OneDelivery({
  row,
  source,
  first,
  onDone,
}: {
  readonly row: DeliveryRow
  readonly source: ReplaySource
  readonly first: string
  readonly onDone: () => void
}) {
  const { output: delivery, problem } = useRead('deliveries.get', { id: row.id })
  const hasText = !row.truncated && row.bodySize <= LONGEST_EDITED
  const body = useRead(
    'deliveries.body',
    hasText ? { id: row.id, offset: 0, length: LONGEST_EDITED } : null,
  )
  const why = problem ?? body.problem
  if (why !== null)
    return (
      <Banner tone="bad" title="Couldn't load the delivery.">
        {why}
      </Banner>
    )
  if (delivery === undefined || (hasText && body.output === undefined))
    return <div role="status" aria-label="Loading delivery" className="late m-5 skeleton h-40" />
  // The body is text if it is UTF-8.
  const text = body.output === undefined ? null : utf8Text(fromBase64(body.output.base64), false)
  const original = { method: delivery.method ?? 'POST', headers: delivery.headers, text }
  return (
    <ComposerForm
      source={source}
      captured={{ delivery, original }}
      fresh={newDraft(original, first)}
      onDone={onDone}
    />
  )
}
