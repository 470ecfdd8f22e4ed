/** The dialog that verifies a pasted request, and stores it only if asked to. */
import { useState } from 'react'
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { readPasted, verifyInput } from '../../../shared/pasted/pasted-request.ts'
import {
  COPIED_CAVEAT,
  type Pasted,
  type PastedRequest,
} from '../../../shared/pasted/pasted-result.ts'
import { useData } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { SecretField, TextAreaField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm } from '../../ui/use-form.ts'
import { VerdictBadge } from '../../ui/verdict.tsx'
import { ComparedSignatures, ExplainedMistake } from './compared-signatures.tsx'
import { freshnessSentence, missingHeaders } from './fact-sentences.ts'

export function VerifyRequestDialog() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'verify-request',
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open}
      onClose={closeOverlay}
      title="Verify a request"
      description="Paste raw HTTP, a command, JSON of a log or tool, or headers, an empty line and the body. Nothing in it is executed."
      wide
    >
      <VerifyForm />
    </Dialog>
  )
}

interface VerifiedRequest {
  readonly request: PastedRequest
  readonly result: OutputOf<'exchange.verify'>
}

interface Draft {
  readonly text: string
  readonly secret: string
  readonly url: string
  readonly at: string
}

/** Creates a parser of drafts that parses an unchanged text only once. */
function createDraftParser() {
  let last: { readonly text: string; readonly pasted: Pasted } | null = null
  /** Returns the requests of a draft, or the problem of a field. */
  return ({ text, at }: Draft) => {
    if (at.trim() !== '' && Number.isNaN(Date.parse(at)))
      return { field: 'at', message: 'Enter a time such as 2026-11-21 10:30:00.' }
    if (last?.text !== text) last = { text, pasted: readPasted(new TextEncoder().encode(text)) }
    const { pasted } = last
    return 'refused' in pasted ? { field: 'text', message: pasted.refused } : pasted
  }
}

function inputOf(request: PastedRequest, { secret, url, at }: Draft, keep: boolean) {
  return {
    ...verifyInput(request),
    ...(secret === '' ? {} : { secret }),
    ...(url.trim() === '' ? {} : { url: url.trim() }),
    at: at.trim() === '' ? null : new Date(at).toISOString(),
    keep,
  }
}

function VerifyForm() {
  const { client } = useData()
  const go = useApp((state) => state.navigation.go)
  const [parseDraft] = useState(createDraftParser)
  const [verified, setVerified] = useState<readonly VerifiedRequest[] | null>(null)
  const send = (draft: Draft, keep: boolean) => {
    const parsed = parseDraft(draft)
    return 'requests' in parsed
      ? settleCall(
          Promise.all(
            parsed.requests.map(async (request) => ({
              request,
              result: await client.call('exchange.verify', inputOf(request, draft, keep)),
            })),
          ),
        )
      : null
  }
  const form = useForm<Draft, readonly VerifiedRequest[]>({
    begin: () => ({ text: '', secret: '', url: '', at: '' }),
    check(draft) {
      const parsed = parseDraft(draft)
      return 'requests' in parsed ? [] : [parsed]
    },
    submit: (draft) => send(draft, false),
    onDone: setVerified,
    onChange: () => setVerified(null),
  })
  const { draft, busy, problem } = form
  const keep = async () => {
    const outcome = await send(draft, true)
    const id = outcome?.ok === true ? outcome.value.at(-1)?.result.delivery : null
    if (id != null) go('deliveries', { id, tab: 'signature' })
  }
  return (
    <form className="flex flex-col gap-3.5" {...form.formProps}>
      <TextAreaField label="Request" rows={9} {...form.field('text')} />
      <div className="grid grid-cols-3 gap-3 max-[700px]:grid-cols-1">
        <SecretField
          label="Secret"
          hint="Empty: your hooks'. Never stored."
          {...form.field('secret')}
        />
        <TextField
          label="Registered URL"
          optional
          hint="Empty: the hook's, or the request's."
          {...form.field('url')}
        />
        <TextField
          label="Time of receipt"
          optional
          hint="Without it, the age is unknown."
          placeholder="2026-11-21 10:30:00"
          {...form.field('at')}
        />
      </div>
      {problem !== null && <ProblemView problem={problem} />}
      <div role="status" className="flex flex-col gap-4 empty:hidden">
        {verified?.map((request, index) => (
          <Result key={index} {...request} number={verified.length === 1 ? null : index + 1} />
        ))}
      </div>
      <div className="flex justify-end gap-2">
        {verified !== null && (
          <Button disabled={busy} onClick={() => void keep()}>
            Keep as reported
          </Button>
        )}
        <Button kind="primary" type="submit" disabled={busy || draft.text === ''}>
          Verify
        </Button>
      </div>
    </form>
  )
}

function Result({
  request,
  result,
  number,
}: VerifiedRequest & {
  /** Place among several requests. */
  readonly number: number | null
}) {
  const isAlone = number === null
  const { report, event, mayBeCopied } = result
  const { diagnosis } = report
  return (
    <section
      aria-label={isAlone ? 'Result' : `Result ${number}`}
      className="flex flex-col gap-2 border-t border-line pt-3"
    >
      <div className="flex flex-wrap items-baseline gap-x-3">
        <VerdictBadge of={{ ...report, malformed: null }} large />
        <span className="data min-w-0 truncate text-muted">
          <ExactText text={isAlone ? (event ?? '') : `${request.method} ${request.path}`} />
        </span>
      </div>
      <p className="text-small text-muted">
        {report.verdict === 'unsigned'
          ? `${missingHeaders(report)}: nothing to verify.`
          : freshnessSentence(report, 'reported')}
        {report.verdict === 'unknown-hook' && ' No hook matches: enter its secret and URL.'}
      </p>
      {diagnosis !== null && <ExplainedMistake {...diagnosis} />}
      {mayBeCopied && <p className="text-small text-warn">{COPIED_CAVEAT}</p>}
      {request.note !== null && <p className="text-small text-warn">{request.note}</p>}
      {isAlone && report.received !== null && (
        <div>
          <ComparedSignatures
            right={{ name: 'Computed', value: report.expected, missing: 'Not computed' }}
            other={{ name: 'Received', value: report.received, missing: 'Missing' }}
            firstDifference={report.firstDifference}
          />
        </div>
      )}
    </section>
  )
}
