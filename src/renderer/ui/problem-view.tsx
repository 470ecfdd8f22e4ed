/** A failed call: the message and, if the service was called, request and response verbatim. */
import { useEffect, useRef, type ReactNode } from 'react'
import type { CallProblem, ServiceExchange } from './call-problem.ts'
import { ExactLines, ExactText } from './exact-text.tsx'
import { FindingText, QuotedText } from './finding-text.tsx'

/** Shows a problem, without findings of the `covered` fields, which show their own. */
export function ProblemView({
  problem,
  covered = [],
}: {
  readonly problem: CallProblem
  readonly covered?: readonly string[]
}) {
  const { exchange } = problem
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [problem])
  const otherFindings = problem.findings.filter(
    ({ field }) => !covered.includes(field.split('.')[0] ?? field),
  )
  const headlineText =
    problem.findings.length === 0 ? <QuotedText text={headline(problem)} /> : null
  if (headlineText === null && otherFindings.length === 0) return null
  return (
    <div ref={box} role="alert" className="rounded-control border border-bad bg-bad-wash px-3 py-2">
      {headlineText !== null && <p className="text-bad wrap-anywhere">{headlineText}</p>}
      {otherFindings.map((finding) => (
        <p key={`${finding.field} ${finding.rule}`} className="text-bad wrap-anywhere">
          <FindingText finding={finding} />
        </p>
      ))}
      {exchange !== null && <ExchangeView exchange={exchange} />}
    </div>
  )
}

/** Returns the message without the quoted body, which is shown below in full. */
function headline({ message, exchange }: CallProblem): string {
  const { status = null } = exchange ?? {}
  if (status === null) return message
  return message.replace(
    new RegExp(`\\b(answered|returned|responded with) ${status}\\b.*$`, 's'),
    `$1 ${status}.`,
  )
}

function ExchangeView({ exchange: { body, sent } }: { readonly exchange: ServiceExchange }) {
  return (
    <>
      {body !== null && (
        <Block name="Response">
          <ExactLines text={body === '' ? '(empty body)' : body} />
        </Block>
      )}
      <details className="mt-2">
        <summary className="text-small text-muted">Request</summary>
        <Block name="Request, secrets masked">
          {sent.method} <ExactText text={sent.url} />
          {sent.headers.map(([name, value], index) => (
            <span key={index} className="block">
              {name}: <ExactText text={value} />
            </span>
          ))}
          {sent.body !== null && (
            <span className="mt-2 block whitespace-pre-wrap">
              {JSON.stringify(sent.body, null, 2)}
            </span>
          )}
        </Block>
      </details>
    </>
  )
}

function Block({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <pre
      tabIndex={0}
      aria-label={name}
      className="data mt-1.5 max-h-48 overflow-auto rounded-small bg-ground px-2.5 py-1.5 wrap-anywhere whitespace-pre-wrap text-text"
    >
      {children}
    </pre>
  )
}
