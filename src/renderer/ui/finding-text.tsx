import type { ReactNode } from 'react'
import type { Finding } from './call-problem.ts'
import { ExactText } from './exact-text.tsx'
import { SectionLink } from './reference-page.tsx'

/**
 * Finding at a field; broken rules have a `rule` (its short name) and a `section` (of the spec).
 */
export type FieldFinding = Pick<Finding, 'field' | 'message'> & Partial<Finding>

export function FindingText({
  finding: { message, section = '', rule = '' },
}: {
  readonly finding: Omit<FieldFinding, 'field'>
}) {
  return (
    <>
      <QuotedText text={message} />
      {(rule !== '' || section !== '') && (
        <span className="text-subtle">
          {' '}
          {rule !== '' && <span className="data text-tiny">{rule}</span>}
          {rule !== '' && ', '}
          {section === '' ? "Countersign's rule" : <SectionLink section={section} />}
        </span>
      )}
    </>
  )
}

/** Shows one of our sentences, with the text between backticks as data. */
export function QuotedText({ text }: { readonly text: string }) {
  const parts = text.split('`')
  // An odd number of backticks quotes nothing.
  if (parts.length % 2 === 0) return <ExactText text={text} />
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      <ExactText key={index} text={part} />
    ) : (
      <code key={index} className="data">
        <ExactText text={part} />
      </code>
    ),
  )
}

export function findingsAtField(findings: readonly FieldFinding[], field: string): ReactNode {
  // Validation and a rejected call may find the same.
  const messages = new Map(
    findings
      .filter((finding) => finding.field === field)
      .map((finding) => [finding.message, finding]),
  )
  if (messages.size === 0) return undefined
  return [...messages.values()].map((finding) => (
    <span key={finding.message} className="block">
      <FindingText finding={finding} />
    </span>
  ))
}
