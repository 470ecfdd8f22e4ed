/**
 * The signature explained (spec 5.2): the verdict or the mistake, the three signed parts in order, the results of both passes, the
 * received signature, and the first difference.
 */
import { Clock, RotateCw } from 'lucide-react'
import { useEffect, useRef, type ReactNode, useMemo } from 'react'
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { byteCount, clockTime } from '../../ui/moment.ts'
import { verdictToneText, VerdictGlyph, verdictLook } from '../../ui/verdict.tsx'
import { ComparedSignatures, ExplainedMistake } from './compared-signatures.tsx'
import type { Shown } from './detail-slice.ts'
import { ExplainDigest } from './explain-digest.tsx'
import {
  againSentence,
  explanationOf,
  freshnessSentence,
  verdictSentence,
  type Explanation,
} from './sentences.ts'
import { SignedParts } from './signed-parts.tsx'
import { TrySignature } from './try-signature.tsx'
import { snippetLanguages } from '../../../shared/snippets/languages.ts'
import {
  inlineBody,
  LONGEST_INLINE_BODY,
  SECRET_VARIABLE,
} from '../../../shared/snippets/snippet.ts'
import { Segments } from '../../ui/segments.tsx'

export function SignatureTab({ shown }: { readonly shown: Shown }) {
  const { delivery, signature, signatureProblem } = shown
  return (
    <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label="Signature">
      <Answer shown={shown} />
      {signature !== null &&
        signature.diagnosis !== null &&
        explanationOf(delivery, signature) === null && (
          <Diagnosis
            diagnosis={signature.diagnosis}
            heading={delivery.verdict === 'valid' ? 'Timestamp' : 'Likely cause'}
          />
        )}
      {signatureProblem !== null && (
        <p className="px-5 py-4 text-muted">Couldn't explain the signature: {signatureProblem}</p>
      )}
      {signature !== null && delivery.malformed === null && (
        <>
          <Recipe shown={shown} signature={signature} />
          {!delivery.truncated && <Tools shown={shown} signature={signature} />}
        </>
      )}
    </div>
  )
}

/** The verdict, or the cause of an invalid signature with its fix, and the freshness. */
function Answer({ shown: { delivery, signature } }: { readonly shown: Shown }) {
  const hook = useApp((state) => state.core.hooks.find((one) => one.id === signature?.hookId))
  const { tone, drawing } = verdictLook(delivery)
  const wash = tone === 'ok' ? 'bg-ok-wash' : tone === 'bad' ? 'bg-bad-wash' : 'bg-raised'
  const verifyAgain = useApp((state) => state.detail.verifyAgain)
  const explanation = explanationOf(delivery, signature)
  const stale = delivery.freshness === 'stale' || delivery.freshness === 'future'
  return (
    <div className={`flex gap-3 border-b border-line px-5 py-3 ${wash}`}>
      <span className={`mt-px ${verdictToneText[tone]}`}>
        <VerdictGlyph drawing={drawing} large />
      </span>
      <div className="min-w-0 flex-1">
        {explanation === null ? (
          <p className="font-medium">{verdictSentence(delivery, hook, signature)}</p>
        ) : (
          <div className="mb-1.5">
            <ExplainedMistake {...explanation} />
          </div>
        )}
        {delivery.malformed !== null ? (
          <p className="text-muted wrap-anywhere">
            {delivery.malformed.reason} See Raw for the received bytes.
          </p>
        ) : (
          // An unsigned request has no age, and its headline already names the missing header.
          delivery.verdict !== 'unsigned' && (
            <p className={stale ? 'flex items-start gap-1.5 text-warn' : 'text-muted'}>
              {stale && <Clock size={14} aria-hidden className="mt-[3px] shrink-0" />}
              {freshnessSentence(signature ?? delivery, delivery.origin)}
            </p>
          )
        )}
        <Again delivery={delivery} />
      </div>
      {delivery.malformed === null && (
        <IconButton
          label="Verify again with current hooks"
          shortcut="verify"
          icon={<RotateCw size={14} aria-hidden />}
          className="ml-auto"
          onClick={() => void verifyAgain()}
        />
      )}
    </div>
  )
}

/** The result of verifying again. The original verdict never changes. */
function Again({ delivery }: { readonly delivery: Delivery }) {
  const again = useApp((state) =>
    state.detail.verifiedAgain?.id === delivery.id ? state.detail.verifiedAgain : null,
  )
  const hook = useApp((state) =>
    state.core.hooks.find(
      ({ id }) => again?.outcome.ok === true && id === again.outcome.value.report.hookId,
    ),
  )
  return (
    <p role="status" className="mt-1 text-small text-muted empty:hidden">
      {again !== null &&
        `Verified again at ${clockTime(again.at)}: ${again.outcome.ok ? againSentence(delivery.verdict, again.outcome.value.report, hook) : again.outcome.problem.message}`}
    </p>
  )
}

function Recipe({
  shown,
  signature,
}: {
  readonly shown: Shown
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
          missing={notComputed(signature, shown.delivery)}
        />
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

function notComputed(
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

function Diagnosis({
  diagnosis: { message, fix, causes },
  heading,
}: {
  readonly diagnosis: Explanation
  readonly heading: string
}) {
  return (
    <div className="border-b border-line px-5 py-3">
      <h3 className="mb-0.5 text-small font-medium text-subtle">{heading}</h3>
      <ExplainedMistake message={message} fix={fix} causes={causes} />
    </div>
  )
}

/** More tools, collapsed until needed. Their inputs are cleared with the delivery. */
function Tools({
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
        <ExplainDigest key={id} id={id} needsSecret={signature.secretHint === null} />
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

// A program that verifies this delivery in the developer's language, ready to copy and run.

function VerifyInCode({
  shown,
  signature,
}: {
  readonly shown: Shown
  readonly signature: SignatureReport
}) {
  const { url, timestamp, received, secretHint } = signature
  const { language, setLanguage } = useAppParts((state) => ({
    language:
      snippetLanguages.find(({ id }) => id === state.detail.snippetLanguage) ?? snippetLanguages[0],
    setLanguage: state.detail.setSnippetLanguage,
  }))
  const { body, delivery } = shown
  const isInline = body.size <= LONGEST_INLINE_BODY && body.bytes.length === body.size
  const program = useMemo(() => {
    if (language === undefined || url === null || timestamp === null || received === null)
      return null
    const bodyBase64 = isInline ? inlineBody(body.bytes) : null
    return language.write({ bodyBase64, url, timestamp, signature: received })
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
          onChange={setLanguage}
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
