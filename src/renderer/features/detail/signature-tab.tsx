/** The Signature tab: the verdict, and each step of signing (spec 5.2). */
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { byteCount } from '../../ui/moment.ts'
import { verdictToneText, VerdictGlyph, verdictStatus } from '../../ui/verdict.tsx'
import { signatureSummary } from './signature-summary.ts'
import { freshnessSentence } from './fact-sentences.ts'
import { SignatureTools } from './signature-tools.tsx'
import { SignedParts } from './signed-parts.tsx'
import { ComparedSignatures, ExplainedMistake } from './compared-signatures.tsx'
import { useSigner, type DeliveryView } from './use-delivery.ts'

export function SignatureTab({ shown }: { readonly shown: DeliveryView }) {
  const { delivery, signature, signatureProblem } = shown
  return (
    <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label="Signature">
      <VerdictBanner shown={shown} />
      {signatureProblem !== null && (
        <p className="px-5 py-4 text-muted">Couldn't explain the signature: {signatureProblem}</p>
      )}
      {signature !== null && delivery.malformed === null && (
        <>
          <Recipe shown={shown} signature={signature} />
          {!delivery.truncated && <SignatureTools shown={shown} signature={signature} />}
        </>
      )}
    </div>
  )
}

const washes = { ok: 'bg-ok-wash', bad: 'bg-bad-wash', warn: 'bg-warn-wash', quiet: 'bg-raised' }

/** Shows the verdict with its cause, and the freshness unless that is the cause. */
function VerdictBanner({ shown }: { readonly shown: DeliveryView }) {
  const { delivery, signature } = shown
  const verifyAgain = useApp((state) => state.detail.verifyAgain)
  const { kind, headline, cause, tone } = signatureSummary({
    delivery,
    signature,
    ...useSigner(shown),
    schemaErrors: null,
    closest: null,
    handlerWords: null,
    isAbandoned: false,
  })
  const showsFreshness = kind === 'invalid' || kind === 'unknown-hook' || kind === 'claimed'
  return (
    <div className={`flex gap-3 border-b border-line px-5 py-3 ${washes[tone]}`}>
      <span className={`mt-px ${verdictToneText[tone]}`}>
        <VerdictGlyph drawing={verdictStatus(delivery).drawing} large />
      </span>
      <div className="min-w-0 flex-1">
        <ExplainedMistake message={headline} fix={cause} />
        {showsFreshness && (
          <p className="mt-0.5 text-muted">
            {freshnessSentence(signature ?? delivery, delivery.origin)}
          </p>
        )}
      </div>
      {delivery.malformed === null && (
        <IconButton
          label="Verify again with current hooks"
          shortcut="verify"
          icon={RotateCw}
          className="ml-auto"
          onClick={() => void verifyAgain()}
        />
      )}
    </div>
  )
}

function Recipe({
  shown,
  signature,
}: {
  readonly shown: DeliveryView
  readonly signature: SignatureReport
}) {
  return (
    <ol className="px-5 pt-4 pb-6">
      <Step number={1} title="Concatenate body, URL and timestamp">
        <SignedParts shown={shown} signature={signature} />
      </Step>
      <Step
        number={2}
        title="First pass"
        note={
          signature.secretHint === null
            ? 'HMAC-SHA-256, Base64'
            : `HMAC-SHA-256 with the hook's secret ${signature.secretHint}, Base64`
        }
      >
        <Digest
          value={signature.inner}
          name="first digest"
          missing={absenceReason(signature, shown.delivery)}
        />
        {signature.inner !== null && signature.inner === signature.received && (
          <p className="mt-1.5 text-small text-bad">Equal to the received signature</p>
        )}
      </Step>
      <Step
        number={3}
        title="Second pass"
        note="The same HMAC over the first result. This is the signature."
        last
      >
        <ComparedSignatures
          right={{
            name: 'Computed',
            value: signature.expected,
            missing: 'Not computed',
          }}
          other={{
            name: 'Received',
            value: signature.received,
            missing: signature.inTrailer.includes('signature')
              ? 'Missing: sent as a trailer, not as a header'
              : 'Missing: no signature header',
          }}
          firstDifference={signature.firstDifference}
        />
      </Step>
    </ol>
  )
}

function absenceReason(
  { url, timestamp, inTrailer }: SignatureReport,
  { truncated }: Delivery,
): string {
  if (inTrailer.includes('timestamp')) return 'Not computed: the timestamp was sent as a trailer.'
  if (timestamp === null) return 'Not computed without a timestamp.'
  if (url === null) return 'Not computed: no matching hook.'
  return truncated
    ? "Not computed: the body isn't complete."
    : "Not computed: the hook's secret isn't stored here."
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly note?: string
  readonly last?: boolean
  readonly children: ReactNode
}

function Step({ number, title, note, last = false, children }: StepProps) {
  return (
    <li className="grid grid-cols-[20px_minmax(0,1fr)] gap-x-3">
      <div className="flex flex-col items-center" aria-hidden>
        <span className="data flex size-5 items-center justify-center rounded-full border border-edge text-tiny text-muted">
          {number}
        </span>
        {!last && <span className="w-px flex-1 bg-line" />}
      </div>
      <div className={last ? '' : 'pb-5'}>
        <h3 className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{title}</span>
          {note !== undefined && <span className="text-small font-normal text-subtle">{note}</span>}
        </h3>
        {children}
      </div>
    </li>
  )
}

function Digest({
  value,
  name,
  missing,
}: {
  readonly value: string | null
  readonly name: string
  readonly missing: string
}) {
  if (value === null) return <p className="text-muted">{missing}</p>
  return (
    <div className="flex min-h-8 items-center gap-2 rounded-control border border-line bg-ground py-1 pr-1 pl-3">
      <span className="data min-w-0 flex-1 break-all">{value}</span>
      <span className="shrink-0 text-tiny text-subtle max-[1000px]:hidden">
        {byteCount(value.length)}
      </span>
      <CopyButton text={value} label={`Copy ${name}`} />
    </div>
  )
}
