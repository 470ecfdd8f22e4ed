/** The shrink dialog: its form, then the progress, then the result. It can be hidden while the shrink continues. */
import { Shrink } from 'lucide-react'
import { z } from 'zod'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { isRejected } from '../../../shared/model/outcomes.ts'
import type { Send } from '../../../shared/model/send.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { TargetAuthorityField, useTargetAuthority } from '../../ui/authority-field.tsx'
import { Button } from '../../ui/button.tsx'
import { AskedConsent } from '../../ui/consent.tsx'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { EndpointField, useEndpoint } from '../../ui/endpoint-field.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useConsents } from '../../ui/use-consents.ts'
import { bySchema, useForm } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { ShrinkProgress } from './shrink-progress.tsx'
import { ShrinkResultView } from './shrink-result.tsx'

interface ShrinkFormProps {
  readonly subject: DeliveryRow
  readonly onCancel: () => void
}

const MOST_SENDS = 500
const isEnough = (most: string) => /^\d+$/.test(most) && Number(most) >= 10
const checkMost = bySchema(
  z.object({ most: z.string().refine(isEnough, 'Enter an integer from 10.') }),
)

/** The form: target, request limit and the failure to look for. */
function ShrinkForm({ subject, onCancel }: ShrinkFormProps) {
  const {
    target,
    unreached,
    start: startShrink,
  } = useParts('shrink', 'target', 'unreached', 'start')
  const hooks = useApp((state) => state.core.hooks)
  const consents = useConsents()
  const form = useForm({
    begin: () => ({ to: target ?? '', answer: '', most: String(MOST_SENDS) }),
    check: checkMost,
    early: true,
    submit({ to, answer, most }) {
      consents.begin((consent) =>
        startShrink({
          id: subject.id,
          to: to.trim() === '' ? null : to.trim(),
          answerHolds: answer === '' ? null : answer,
          maxSends: Number(most),
          targetCa: authority.targetCa,
          ...consent,
        }).then(authority.remember),
      )
      return null
    },
    consents,
  })
  const { draft, busy, problem } = form
  const { to, answer, most } = draft
  const current = useApp((state) => state.core.handlers.find((one) => one.current))
  const isEmpty = to.trim() === ''
  // Without an endpoint, requests go to the current handler, else to the hook's URL.
  const { handler, url } = useEndpoint(isEmpty && current !== undefined ? handlerRef(current) : to)
  const address =
    url.trim() === '' ? (hooks.find(({ id }) => id === subject.hookId)?.url ?? '') : url
  // A saved handler brings its own certificate.
  const authority = useTargetAuthority(handler === null ? address : '')
  if (consents.question !== null)
    return (
      <AskedConsent
        consents={consents}
        words={(question) =>
          question.about === 'host'
            ? {
                action: `Send to ${question.host}`,
                what: `Sends up to ${most} valid requests there. Make sure its owner knows.`,
              }
            : {
                action: busy ? 'Starting…' : 'Send repeatedly (live)',
                what: `Sends up to ${most} valid live requests to ${isEmpty ? address : to}.`,
              }
        }
      />
    )
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <EndpointField
        label="Send to"
        hint={
          current !== undefined && (handler === null || isEmpty)
            ? `The failing handler. Leave empty for ${visibleText(handlerRef(current))}.`
            : handler === null
              ? "The failing handler. Leave empty for the hook's URL."
              : undefined
        }
        facts={{ targetCa: authority.targetCa }}
        value={to}
        onChange={(value) => {
          form.change({ to: value })
        }}
      />
      {unreached !== null && (
        <p
          role="note"
          className="rounded-control border border-warn bg-warn-wash px-3 py-2 wrap-anywhere"
        >
          The last search couldn't reach the handler: <ExactText text={unreached.message} />
        </p>
      )}
      {handler === null && (
        <TargetAuthorityField
          target={address}
          value={authority.value}
          problem={form.problemAt('targetCa')}
          shown={unreached?.isCertificate === true}
          onChange={(caPem) => {
            authority.change(caPem)
            consents.clear()
          }}
        />
      )}
      <TextField
        label="Response contains"
        optional
        placeholder="TypeError"
        hint="Only responses with this text count as the same failure. If empty, the status decides."
        value={answer}
        onChange={(value) => {
          form.change({ answer: value })
        }}
      />
      <div className="w-40">
        <TextField
          label="Max requests"
          inputMode="numeric"
          problem={form.problemAt('most')}
          value={most}
          onChange={(value) => {
            form.change({ most: value })
          }}
        />
      </div>
      {problem !== null && <ProblemView problem={problem} covered={['targetCa']} />}
      <FormFoot
        onCancel={onCancel}
        action="Shrink body"
        busyWords="Starting…"
        busy={busy}
        disabled={!form.isValid()}
      />
    </form>
  )
}

export function ShrinkDialog() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'shrink' && state.shrink.subject !== null,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open}
      onClose={closeOverlay}
      title="Shrink body"
      description="Replays the delivery with smaller and smaller bodies, re-signed each time, to find the smallest one that still fails."
      wide
    >
      <Content />
    </Dialog>
  )
}

function Content() {
  const { subject, run, result } = useParts('shrink', 'subject', 'run', 'result')
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  if (subject === null) return null
  if (result !== null)
    return <ShrinkResultView subject={subject} result={result} onDone={closeOverlay} />
  if (run !== null) return <ShrinkProgress run={run} onHide={closeOverlay} />
  return <ShrinkForm subject={subject} onCancel={closeOverlay} />
}

const failing: readonly Send['outcome'][] = ['first-fail', 'still-failing', 'regressed']

/** Opens the shrink dialog for a failed replay, with the same target. */
export function ShrinkSend({ send }: { readonly send: Send }) {
  const { delivery, openShrink } = useAppParts((state) => ({
    delivery: state.detail.shown?.delivery ?? null,
    openShrink: state.shrink.open,
  }))
  if (delivery?.id !== send.deliveryId || delivery.bodySize === 0) return null
  if (!failing.includes(send.outcome) || isRejected(send)) return null
  return (
    <Button
      kind="quiet"
      className="ml-auto font-normal"
      icon={<Shrink size={13} aria-hidden />}
      onClick={() => void openShrink(delivery, send.target)}
    >
      Shrink body…
    </Button>
  )
}
