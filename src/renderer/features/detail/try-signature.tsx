/** Verifies the delivery with another secret or URL. The inputs stay in this form and are cleared with it. */
import { CircleCheck, CircleX } from 'lucide-react'
import { useState } from 'react'
import type { SignatureReport, SignatureTrial } from '../../../shared/model/signature.ts'
import { Button } from '../../ui/button.tsx'
import { SecretField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useBroughtIntoView } from '../../ui/use-place.ts'
import { useForm } from '../../ui/use-form.ts'
import { useCall } from '../../ui/use-outcome.ts'
import { ComparedSignatures, ExplainedMistake } from './compared-signatures.tsx'
import { missingHeaders } from './sentences.ts'

export function TrySignature({
  id,
  signature,
}: {
  readonly id: string
  readonly signature: SignatureReport
}) {
  const call = useCall()
  const [tried, setTried] = useState<SignatureReport | null>(null)
  const form = useForm({
    begin: () => ({ secret: '', url: '' }),
    submit({ secret, url }) {
      if (nothing || busy) return null
      setTried(null)
      return call('deliveries.diagnose', {
        id,
        ...(secret === '' ? {} : { secret }),
        ...(url === '' ? {} : { url }),
      })
    },
    onDone({ report }: SignatureTrial) {
      setTried(report)
    },
  })
  const { draft, busy, problem } = form
  const answered = useBroughtIntoView<HTMLDivElement>(tried)
  const nothing = draft.secret === '' && draft.url === ''

  return (
    <form className="flex max-w-[640px] flex-col gap-3" {...form.element}>
      <SecretField
        label="Secret"
        hint="Used once, never stored."
        placeholder={signature.secretHint === null ? '' : `hook's secret ${signature.secretHint}`}
        value={draft.secret}
        onChange={(secret) => form.change({ secret })}
      />
      <TextField
        label="URL"
        placeholder={signature.url ?? 'https://… exactly as registered'}
        value={draft.url}
        onChange={(url) => form.change({ url })}
        hint={
          signature.url === null
            ? 'Leave empty for the URL it was sent to.'
            : 'Leave empty for the registered URL.'
        }
      />
      <div>
        <Button type="submit" disabled={busy || nothing}>
          Verify
        </Button>
      </div>
      {problem !== null && <ProblemView problem={problem} />}
      <div role="status" className="empty:-mt-3 scroll-mb-3" ref={answered}>
        {tried !== null && <Tried report={tried} hasSecret={draft.secret !== ''} />}
      </div>
    </form>
  )
}

function Tried({
  report,
  hasSecret,
}: {
  readonly report: SignatureReport
  readonly hasSecret: boolean
}) {
  const { verdict, diagnosis, expected, received, firstDifference } = report
  const isValid = verdict === 'valid'
  const Icon = isValid ? CircleCheck : CircleX
  return (
    <div className="flex flex-col gap-3">
      <div
        className={`flex gap-2.5 rounded-control px-3 py-2 ${isValid ? 'bg-ok-wash' : 'bg-bad-wash'}`}
      >
        <Icon
          size={16}
          aria-hidden
          className={`mt-0.5 shrink-0 ${isValid ? 'text-ok' : 'text-bad'}`}
        />
        <div className="min-w-0">
          {isValid ? (
            <ExplainedMistake
              message="Valid with these values."
              fix={
                hasSecret
                  ? 'To verify later deliveries too, import the hook with this secret, or rotate to it.'
                  : 'The sender signs this URL. Register or import the hook with exactly this URL.'
              }
              causes={[]}
            />
          ) : diagnosis === null ? (
            <ExplainedMistake
              message={notValid(report)}
              fix="No known mistake explains it."
              causes={[]}
            />
          ) : (
            <ExplainedMistake
              message={`Not valid. ${diagnosis.message}`}
              fix={diagnosis.fix}
              causes={diagnosis.causes}
            />
          )}
        </div>
      </div>
      <div>
        <ComparedSignatures
          right={{ name: 'Computed', value: expected, missing: 'Not computed: a part is missing' }}
          other={{ name: 'Received', value: received, missing: 'Missing: no signature header' }}
          firstDifference={firstDifference}
          isRight={isValid}
        />
      </div>
    </div>
  )
}

function notValid(report: SignatureReport): string {
  if (report.verdict === 'unsigned') return `${missingHeaders(report)}: nothing to verify.`
  return report.expected === null
    ? 'Not computed: the secret or a part of the delivery is missing.'
    : 'Not valid with this secret and URL.'
}
