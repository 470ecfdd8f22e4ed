/** What is wrong at a field of a form, each finding on a line of its own. */
import type { ReactNode } from 'react'
import type { Finding } from './call-problem.ts'
import { FindingText } from './finding-text.tsx'

/** The findings at a field as its `problem`; undefined where there are none. */
export function findingsAtField(findings: readonly Finding[], field: string): ReactNode {
  const found = findings.filter((finding) => finding.field === field)
  if (found.length === 0) return undefined
  return found.map((finding) => (
    <span key={`${finding.rule} ${finding.message}`} className="block">
      <FindingText finding={finding} />
    </span>
  ))
}
