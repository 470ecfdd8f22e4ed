/** Differences between two requests or responses, in words and lines. */
import { utf8Text } from '../../shared/body/encoding.ts'
import { compareStructure, compareText } from '../../shared/diff/compare-bodies.ts'
import { differenceLines } from '../../shared/diff/comparison-export.ts'
import { headerRows } from '../../shared/diff/header-rows.ts'
import type { VolatileFields } from '../../shared/diff/volatile-fields.ts'
import type { SendAnswer, SentRequest } from '../../shared/model/send.ts'
import { fromBase64 } from '../core-data/bytes.ts'
import { classNames } from './class-names.ts'
import { ExactText } from './exact-text.tsx'

export interface MessageChange {
  /** Sentences such as "Same headers. Different body." */
  readonly words: string
  /** Differing lines, each with `-`, `+` or `>` in front. */
  readonly lines: readonly string[]
}

type Message = Pick<SendAnswer | SentRequest, 'headers' | 'base64' | 'truncated'>

/**
 * Compares two messages as `countersign compare` does: JSON by structure without ignored fields,
 * other text by line.
 */
export function messageChange(
  before: Message,
  now: Message,
  volatile: VolatileFields,
): MessageChange {
  const headers = differenceLines(headerRows(before.headers, now.headers, volatile))
  const body = bodyChange(before, now, volatile)
  return {
    words: `${headers.length === 0 ? 'Same headers.' : 'Different headers.'} ${body.words}`,
    lines: [...headers, ...body.lines],
  }
}

function bodyChange(before: Message, now: Message, volatile: VolatileFields): MessageChange {
  if (before.base64 === now.base64) return { words: 'Same body.', lines: [] }
  const [left, right] = [before, now].map(({ base64, truncated }) =>
    utf8Text(fromBase64(base64), truncated),
  )
  if (typeof left !== 'string' || typeof right !== 'string')
    return { words: 'Different body (binary).', lines: [] }
  const structure = compareStructure(left, right, volatile)
  if (structure.outcome === 'not-json') {
    const lines = differenceLines(compareText(left, right).rows)
    // An absent body isn't an empty line.
    return {
      words: 'Different body.',
      lines: left === '' || right === '' ? lines.filter((line) => line.length > 2) : lines,
    }
  }
  if (structure.differs) return { words: 'Different body.', lines: differenceLines(structure.rows) }
  return {
    words: structure.rows.some(({ isIgnored }) => isIgnored)
      ? 'Only ignored fields differ.'
      : 'Same values.',
    lines: [],
  }
}

interface DifferencesProps {
  readonly name: 'Response' | 'Request'
  readonly change: MessageChange
}

/** Shows how a response or request differs from an earlier one. */
export function MessageDifferences({ name, change: { words, lines } }: DifferencesProps) {
  return (
    <section aria-label={`${name} differences`} className="mt-3">
      <h4 className="font-medium">
        {name} <span className="font-normal text-muted">{words}</span>
      </h4>
      {lines.length > 0 && (
        <div
          className="mt-1 overflow-auto border border-line bg-ground py-1 leading-5 data"
          tabIndex={0}
          role="group"
          aria-label={`Differences of the ${name.toLowerCase()}`}
        >
          {lines.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </div>
      )}
    </section>
  )
}

const LINE_WASHES: Readonly<Record<string, string>> = { '-': 'bg-bad-wash', '+': 'bg-ok-wash' }

/** Draws a line with its mark in a separate column. */
function Line({ line }: { readonly line: string }) {
  const [mark = ''] = line
  return (
    <div className={classNames('flex px-3 whitespace-pre', LINE_WASHES[mark])}>
      <span className="w-5 shrink-0 text-subtle">{mark === '-' ? '−' : mark}</span>
      <ExactText text={line.slice(2)} />
    </div>
  )
}
