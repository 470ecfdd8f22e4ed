/** The reverse direction: takes a digest computed by the developer's code and finds the mistake that produces it. */
import { CircleCheck, CircleQuestionMark, CircleX } from 'lucide-react'
import { useState } from 'react'
import type { ComputedDigest, SignatureReport } from '../../../shared/model/signature.ts'
import { Button } from '../../ui/button.tsx'
import { SecretField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useBroughtIntoView } from '../../ui/use-place.ts'
import { useCall, useOutcome } from '../../ui/use-outcome.ts'
import { ComparedSignatures, ExplainedMistake } from './compared-signatures.tsx'

interface Answer {
  readonly report: SignatureReport
  readonly computed: ComputedDigest
}

export function ExplainDigest({
  id,
  needsSecret,
}: {
  readonly id: string
  /** No hook matches, so the secret is needed too. */
  readonly needsSecret: boolean
}) {
  const call = useCall()
  const [digest, setDigest] = useState('')
  const [secret, setSecret] = useState('')
  const [answer, setAnswer] = useState<Answer | null>(null)
  const { busy, problem, run } = useOutcome()
  const answered = useBroughtIntoView<HTMLDivElement>(answer)
  const missing = digest.trim() === '' || (needsSecret && secret === '')

  const submit = async () => {
    setAnswer(null)
    const trial = await run(() =>
      call('deliveries.diagnose', {
        id,
        computed: digest,
        ...(secret === '' ? {} : { secret }),
      }),
    )
    if (trial?.computed != null) setAnswer({ report: trial.report, computed: trial.computed })
  }

  return (
    <form
      className="flex max-w-[640px] flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!missing && !busy) void submit()
      }}
    >
      <TextField
        label="Your code's digest"
        hint="The value your code compares with the signature header, or the result of its first HMAC."
        value={digest}
        onChange={setDigest}
      />
      {needsSecret && (
        <SecretField
          label="Your code's secret"
          hint="No hook matches this delivery. Used once, never stored."
          value={secret}
          onChange={setSecret}
        />
      )}
      <div>
        <Button type="submit" disabled={busy || missing}>
          Explain digest
        </Button>
      </div>
      {problem !== null && <ProblemView problem={problem} />}
      <div role="status" className="empty:-mt-3 scroll-mb-3" ref={answered}>
        {answer !== null && <Explained {...answer} />}
      </div>
    </form>
  )
}

const looks = {
  right: { Icon: CircleCheck, tone: 'text-ok', wash: 'bg-ok-wash' },
  explained: { Icon: CircleX, tone: 'text-bad', wash: 'bg-bad-wash' },
  unexplained: { Icon: CircleQuestionMark, tone: 'text-muted', wash: 'bg-raised' },
} as const

function Explained({ report, computed }: Answer) {
  const { outcome, message, fix, diagnosis, digest, firstDifference } = computed
  const { Icon, tone, wash } = looks[outcome]
  return (
    <div className="flex flex-col gap-3">
      <div className={`flex gap-2.5 rounded-control px-3 py-2 ${wash}`}>
        <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${tone}`} />
        <div className="min-w-0">
          <ExplainedMistake message={message} fix={fix} causes={diagnosis?.causes ?? []} />
        </div>
      </div>
      <div>
        <ComparedSignatures
          right={{ name: 'Correct', value: report.expected, missing: 'unknown' }}
          other={{ name: 'Yours', value: digest, missing: '' }}
          firstDifference={firstDifference}
        />
      </div>
    </div>
  )
}
