/**
 * What else can be found out about a signature: whether it matches another secret or URL, which mistake produces the digest of the
 * developer's own code, and a program that verifies it.
 */
import { CircleCheck, CircleQuestionMark, CircleX } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import type { SignatureReport, SignatureTrial } from '../../../shared/model/signature.ts'
import { snippetLanguages } from '../../../shared/snippets/languages.ts'
import {
  inlineBody,
  LONGEST_INLINE_BODY,
  snippetOf,
  SECRET_VARIABLE,
} from '../../../shared/snippets/snippet.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { SecretField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { Segments } from '../../ui/segments.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useCall } from '../../ui/use-outcome.ts'
import { useBroughtIntoView } from '../../ui/use-place.ts'
import { missingHeaders, type Explanation } from './summary.ts'
import { ComparedSignatures, ExplainedMistake } from './signed-parts.tsx'
import type { Shown } from './use-delivery.ts'

/** More tools, collapsed until needed. Their inputs are cleared with the delivery. */
export function SignatureTools({
  shown,
  signature,
}: {
  readonly shown: Shown
  readonly signature: SignatureReport
}) {
  const { id } = shown.delivery
  const tool = useApp((state) => state.detail.signatureTool)
  const asked = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (tool === null) return
    const place = asked.current?.querySelector('[aria-expanded=true]')
    place?.scrollIntoView({ block: 'start' })
    place?.parentElement?.parentElement?.querySelector<HTMLElement>('input')?.focus()
  }, [tool])
  return (
    <div ref={asked} className="border-b border-line">
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

/** What a tool found: in words, and the two digests. */
function Found({
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

/** Verifies the delivery with another secret or URL. The inputs stay in this form and are cleared with it. */
function TrySignature({ id, signature }: ToolProps) {
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
    onDone: ({ report }: SignatureTrial) => setTried(report),
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
      <div role="status" className="scroll-mb-3 empty:-mt-3" ref={answered}>
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
  const isValid = report.verdict === 'valid'
  return (
    <Found display={isValid ? 'right' : 'wrong'} {...triedWords(report, hasSecret)}>
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
    </Found>
  )
}

function triedWords(report: SignatureReport, hasSecret: boolean): Explanation {
  const { verdict, diagnosis, expected } = report
  if (verdict === 'valid')
    return {
      message: 'Valid with these values.',
      fix: hasSecret
        ? 'To verify later deliveries too, import the hook with this secret, or rotate to it.'
        : 'The sender signs this URL. Register or import the hook with exactly this URL.',
      causes: [],
    }
  if (diagnosis !== null) return { ...diagnosis, message: `Not valid. ${diagnosis.message}` }
  const message =
    verdict === 'unsigned'
      ? `${missingHeaders(report)}: nothing to verify.`
      : expected === null
        ? 'Not computed: the secret or a part of the delivery is missing.'
        : 'Not valid with this secret and URL.'
  return { message, fix: 'No known mistake explains it.', causes: [] }
}

/** The reverse direction: takes a digest computed by the developer's code and finds the mistake that produces it. */
function ExplainDigest({ id, signature }: ToolProps) {
  const call = useCall()
  /** No hook matches, so the secret is needed too. */
  const needsSecret = signature.secretHint === null
  const [answer, setAnswer] = useState<SignatureTrial | null>(null)
  const form = useForm({
    begin: () => ({ computed: '', secret: '' }),
    submit({ computed, secret }) {
      if (missing || busy) return null
      setAnswer(null)
      return call('deliveries.diagnose', { id, computed, ...(secret === '' ? {} : { secret }) })
    },
    onDone: setAnswer,
  })
  const { draft, busy, problem } = form
  const missing = draft.computed.trim() === '' || (needsSecret && draft.secret === '')
  const answered = useBroughtIntoView<HTMLDivElement>(answer)
  return (
    <form className="flex max-w-[640px] flex-col gap-3" {...form.element}>
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
        <Button type="submit" disabled={busy || missing}>
          Explain digest
        </Button>
      </div>
      {problem !== null && <ProblemView problem={problem} />}
      <div role="status" className="scroll-mb-3 empty:-mt-3" ref={answered}>
        {answer?.computed != null && (
          <Found
            display={answer.computed.outcome === 'explained' ? 'wrong' : answer.computed.outcome}
            message={answer.computed.message}
            fix={answer.computed.fix}
            causes={answer.computed.diagnosis?.causes ?? []}
          >
            <ComparedSignatures
              right={{ name: 'Correct', value: answer.report.expected, missing: 'unknown' }}
              other={{ name: 'Yours', value: answer.computed.digest, missing: '' }}
              firstDifference={answer.computed.firstDifference}
            />
          </Found>
        )}
      </div>
    </form>
  )
}

// A program that verifies this delivery in the developer's language, ready to copy and run.

function VerifyInCode({
  shown,
  signature,
}: {
  readonly shown: Shown
  readonly signature: SignatureReport
}) {
  const { url, timestamp, received, secretHint } = signature
  const { snippetLanguage, display } = useParts('detail', 'snippetLanguage', 'display')
  const language = snippetLanguages.find((one) => one.id === snippetLanguage) ?? snippetLanguages[0]
  const { body, delivery } = shown
  const isInline = body.size <= LONGEST_INLINE_BODY && body.bytes.length === body.size
  const program = useMemo(() => {
    if (language === undefined || url === null || timestamp === null || received === null)
      return null
    const bodyBase64 = isInline ? inlineBody(body.bytes) : null
    return snippetOf(language, { bodyBase64, url, timestamp, signature: received })
  }, [language, url, timestamp, received, isInline, body.bytes])

  if (program === null || language === undefined)
    return (
      <p className="text-muted">
        Needs a signature, a timestamp and a URL. This delivery lacks one of them.
      </p>
    )
  const run = `${SECRET_VARIABLE}=… ${language.run}${isInline ? '' : ' body'}`
  return (
    <div className="flex flex-col gap-2.5">
      <div className="-my-1 overflow-x-auto py-1">
        <Segments
          label="Language"
          options={snippetLanguages.map(({ id, name }) => ({ value: id, label: name }))}
          value={language.id}
          onChange={(chosen) => display({ snippetLanguage: chosen })}
        />
      </div>
      <div className="overflow-hidden rounded-control border border-line">
        <div className="flex items-center gap-2 border-b border-line bg-raised py-1 pr-1 pl-3 text-small text-muted">
          <span className="data min-w-0 flex-1 truncate">{language.file}</span>
          <CopyButton text={program} label="Copy program" caption="Copy" />
        </div>
        <pre
          tabIndex={0}
          aria-label={`Program in ${language.name}`}
          className="data max-h-[420px] overflow-auto bg-ground px-3 py-2 leading-[18px] outline-offset-[-2px] select-text [tab-size:4]"
        >
          {program}
        </pre>
      </div>
      <p className="text-small text-muted">
        Run it with <span className="data text-text">{run}</span>
        {secretHint === null ? '' : `, using the hook's secret (${secretHint})`}. It prints "valid"
        or "not valid".
        {!isInline && (
          <>
            {' '}
            The body is too long to include. Save it first:{' '}
            <span className="data text-text">countersign show {delivery.id} --body &gt; body</span>
          </>
        )}
      </p>
    </div>
  )
}
