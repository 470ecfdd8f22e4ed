/** Tools of the Signature tab: try another secret or URL, explain a digest, verify in code. */
import { CircleCheck, CircleQuestionMark, CircleX } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { SignatureReport, SignatureTrial } from '../../../shared/model/signature.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { SecretField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useCall } from '../../ui/use-call.ts'
import { useScrollIntoView } from '../../ui/use-place.ts'
import { missingHeaders, type Explanation } from './fact-sentences.ts'
import { ComparedSignatures, ExplainedMistake } from './compared-signatures.tsx'
import type { DeliveryView } from './use-delivery.ts'
import { VerifyInCode } from './verify-in-code.tsx'

/** Shows the tools, collapsed; their inputs are cleared when another delivery is opened. */
export function SignatureTools({
  shown,
  signature,
}: {
  readonly shown: DeliveryView
  readonly signature: SignatureReport
}) {
  const { id } = shown.delivery
  const tool = useApp((state) => state.detail.signatureTool)
  const tools = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (tool === null) return
    const place = tools.current?.querySelector('[aria-expanded=true]')
    place?.scrollIntoView({ block: 'start' })
    place?.parentElement?.parentElement?.querySelector<HTMLElement>('input')?.focus()
  }, [tool])
  return (
    <div ref={tools} className="border-b border-line">
      <Disclosure
        title="Try another secret or URL"
        note="Used once, never stored"
        openAtFirst={tool === 'try'}
      >
        <TrySignature key={id} id={id} signature={signature} />
      </Disclosure>
      <Disclosure
        title="Does your code compute another digest?"
        note="Paste it to find the mistake"
      >
        <ExplainDigest key={id} id={id} signature={signature} />
      </Disclosure>
      <Disclosure
        title="Verify in your code"
        note="A program in your language, with this delivery as its test"
        openAtFirst={tool === 'code'}
      >
        <VerifyInCode shown={shown} signature={signature} />
      </Disclosure>
    </div>
  )
}

const styles = {
  right: { Icon: CircleCheck, tone: 'text-ok', wash: 'bg-ok-wash' },
  wrong: { Icon: CircleX, tone: 'text-bad', wash: 'bg-bad-wash' },
  unexplained: { Icon: CircleQuestionMark, tone: 'text-muted', wash: 'bg-raised' },
} as const

/** Explains the result of a tool, above two digests. */
function ToolResult({
  display,
  children,
  ...mistake
}: Explanation & { readonly display: keyof typeof styles; readonly children: ReactNode }) {
  const { Icon, tone, wash } = styles[display]
  return (
    <div className="flex flex-col gap-3">
      <div className={`flex gap-2.5 rounded-control px-3 py-2 ${wash}`}>
        <Icon size={16} className={`mt-0.5 shrink-0 ${tone}`} />
        <div className="min-w-0">
          <ExplainedMistake {...mistake} />
        </div>
      </div>
      <div>{children}</div>
    </div>
  )
}

interface ToolProps {
  readonly id: string
  readonly signature: SignatureReport
}

/** Verifies the delivery with another secret or URL, which are never stored. */
function TrySignature({ id, signature }: ToolProps) {
  const call = useCall()
  const [trial, setTrial] = useState<SignatureReport | null>(null)
  const form = useForm({
    begin: () => ({ secret: '', url: '' }),
    submit({ secret, url }) {
      if (isEmpty || busy) return null
      setTrial(null)
      return call('deliveries.diagnose', {
        id,
        ...(secret === '' ? {} : { secret }),
        ...(url === '' ? {} : { url }),
      })
    },
    onDone: ({ report }: SignatureTrial) => setTrial(report),
  })
  const { draft, busy, problem } = form
  const resultPlace = useScrollIntoView<HTMLDivElement>(trial)
  const isEmpty = draft.secret === '' && draft.url === ''
  return (
    <form className="flex max-w-[640px] flex-col gap-3" {...form.formProps}>
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
        <Button type="submit" disabled={busy || isEmpty}>
          Verify
        </Button>
      </div>
      {problem !== null && <ProblemView problem={problem} />}
      <div role="status" className="scroll-mb-3 empty:-mt-3" ref={resultPlace}>
        {trial !== null && <TrialResult report={trial} hasSecret={draft.secret !== ''} />}
      </div>
    </form>
  )
}

function TrialResult({
  report,
  hasSecret,
}: {
  readonly report: SignatureReport
  readonly hasSecret: boolean
}) {
  const isValid = report.verdict === 'valid'
  return (
    <ToolResult display={isValid ? 'right' : 'wrong'} {...trialWords(report, hasSecret)}>
      <ComparedSignatures
        right={{
          name: 'Computed',
          value: report.expected,
          missing: 'Not computed: a part is missing',
        }}
        other={{
          name: 'Received',
          value: report.received,
          missing: 'Missing: no signature header',
        }}
        firstDifference={report.firstDifference}
        isRight={isValid}
      />
    </ToolResult>
  )
}

function trialWords(report: SignatureReport, hasSecret: boolean): Explanation {
  const { verdict, diagnosis, expected } = report
  if (verdict === 'valid')
    return {
      message: 'Valid with these values.',
      fix: hasSecret
        ? 'To verify later deliveries too, import the hook with this secret, or rotate to it.'
        : 'The sender signs this URL. Register or import the hook with exactly this URL.',
    }
  if (diagnosis !== null) return { ...diagnosis, message: `Not valid. ${diagnosis.message}` }
  const message =
    verdict === 'unsigned'
      ? `${missingHeaders(report)}: nothing to verify.`
      : expected === null
        ? 'Not computed: the secret or a part of the delivery is missing.'
        : 'Not valid with this secret and URL.'
  return { message, fix: 'No known mistake explains it.' }
}

/** Finds the mistake that produces a digest computed by the developer's code. */
function ExplainDigest({ id, signature }: ToolProps) {
  const call = useCall()
  // No hook matches.
  const needsSecret = signature.secretHint === null
  const [answer, setAnswer] = useState<SignatureTrial | null>(null)
  const form = useForm({
    begin: () => ({ computed: '', secret: '' }),
    submit({ computed, secret }) {
      if (isIncomplete || busy) return null
      setAnswer(null)
      return call('deliveries.diagnose', { id, computed, ...(secret === '' ? {} : { secret }) })
    },
    onDone: setAnswer,
  })
  const { draft, busy, problem } = form
  const isIncomplete = draft.computed.trim() === '' || (needsSecret && draft.secret === '')
  const resultPlace = useScrollIntoView<HTMLDivElement>(answer)
  return (
    <form className="flex max-w-[640px] flex-col gap-3" {...form.formProps}>
      <TextField
        label="Your code's digest"
        hint="The value your code compares with the signature header, or the result of its first HMAC."
        value={draft.computed}
        onChange={(computed) => form.change({ computed })}
      />
      {needsSecret && (
        <SecretField
          label="Your code's secret"
          hint="No hook matches this delivery. Used once, never stored."
          value={draft.secret}
          onChange={(secret) => form.change({ secret })}
        />
      )}
      <div>
        <Button type="submit" disabled={busy || isIncomplete}>
          Explain digest
        </Button>
      </div>
      {problem !== null && <ProblemView problem={problem} />}
      <div role="status" className="scroll-mb-3 empty:-mt-3" ref={resultPlace}>
        {answer?.computed != null && (
          <ToolResult
            display={answer.computed.outcome === 'explained' ? 'wrong' : answer.computed.outcome}
            message={answer.computed.message}
            fix={answer.computed.fix}
          >
            <ComparedSignatures
              right={{ name: 'Correct', value: answer.report.expected, missing: 'unknown' }}
              other={{ name: 'Yours', value: answer.computed.digest, missing: '' }}
              firstDifference={answer.computed.firstDifference}
            />
          </ToolResult>
        )}
      </div>
    </form>
  )
}
