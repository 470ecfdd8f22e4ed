/** What the check of a payload found: what is wrong first, then what is worth a look, each with its section of the interface. */
import { CircleX, Info } from 'lucide-react'
import { useState } from 'react'
import type { SchemaReport } from '../../../shared/model/schema-report.ts'
import { Button } from '../../ui/button.tsx'
import { FindingText } from '../../ui/finding-text.tsx'

/** More than these are shown when they are asked for: a body of another event misses everything. */
const SHOWN_AT_FIRST = 6

export function SchemaNotes({ report: { failures, findings } }: { readonly report: SchemaReport }) {
  const [all, setAll] = useState(false)
  const notes = [
    ...failures.map((note) => ({ ...note, isFailure: true })),
    ...findings.map((note) => ({ ...note, isFailure: false })),
  ]
  if (notes.length === 0) return null
  const shown = all ? notes : notes.slice(0, SHOWN_AT_FIRST)
  return (
    <>
      <ul aria-label="Findings of the body" className="mt-1 flex flex-col gap-1">
        {shown.map(({ isFailure, ...note }) => (
          <li key={`${note.path} ${note.message}`} className="flex gap-2">
            {isFailure ? (
              <CircleX size={13} role="img" aria-label="Wrong" className="mt-[3.5px] shrink-0 text-bad" />
            ) : (
              <Info size={13} role="img" aria-label="Worth a look" className="mt-[3.5px] shrink-0 text-muted" />
            )}
            <span className="min-w-0 wrap-anywhere">
              <FindingText finding={note} />
            </span>
          </li>
        ))}
      </ul>
      {notes.length > shown.length && (
        <Button
          kind="quiet"
          className="mt-1 -ml-2.5 text-small"
          onClick={() => {
            setAll(true)
          }}
        >
          Show all {notes.length}
        </Button>
      )}
    </>
  )
}
