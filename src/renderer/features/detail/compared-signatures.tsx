/** Two digests with their first difference, and the mistake that explains it. */
import { CircleCheck } from 'lucide-react'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import type { Explanation } from './fact-sentences.ts'

interface Compared {
  readonly name: string
  readonly value: string | null
  /** Text shown if there is no value. */
  readonly missing: string
}

export function ComparedSignatures({
  right,
  other,
  firstDifference,
  isRight = true,
}: {
  /** Digest on top, which the other one should equal. */
  readonly right: Compared
  readonly other: Compared
  /** Index of the first character that differs. */
  readonly firstDifference: number | null
  /** Whether `right` is correct and therefore green. */
  readonly isRight?: boolean
}) {
  const isComparable = right.value !== null && other.value !== null
  const isEqual = isComparable && firstDifference === null
  return (
    <>
      <div className="rounded-control border border-line bg-ground">
        <Line {...right} at={firstDifference} tone={isRight ? 'ok' : 'plain'} />
        <div className="border-t border-line" />
        <Line {...other} at={firstDifference} tone={isEqual ? 'ok' : 'bad'} />
      </div>
      {isComparable && (
        <p
          className={`mt-1.5 flex items-center gap-1.5 text-small ${isEqual ? 'text-ok' : 'text-bad'}`}
        >
          {isEqual && <CircleCheck size={14} />}
          {firstDifference === null
            ? 'Identical.'
            : `First difference at character ${firstDifference + 1}.`}
        </p>
      )}
    </>
  )
}

interface LineProps extends Compared {
  readonly at: number | null
  readonly tone: keyof typeof tones
}

const tones = {
  ok: { rest: 'text-ok', mark: 'bg-ok-wash text-ok' },
  bad: { rest: 'text-bad', mark: 'bg-bad-wash text-bad' },
  plain: { rest: 'text-text', mark: 'bg-control text-text' },
} as const

function Line({ name, value, at, missing, tone }: LineProps) {
  return (
    <div className="flex min-h-8 items-center gap-3 py-1 pr-1 pl-3">
      <span className="w-[68px] shrink-0 text-small text-subtle">{name}</span>
      {value === null ? (
        <span className="flex-1 text-muted">{missing}</span>
      ) : (
        <>
          <span className="data min-w-0 flex-1 break-all">
            {at === null ? (
              <ExactText text={value} />
            ) : (
              <>
                <ExactText text={value.slice(0, at)} />
                <mark
                  className={`rounded-small px-px font-semibold underline underline-offset-2 ${tones[tone].mark}`}
                >
                  {at < value.length ? <ExactText text={value.charAt(at)} /> : '␃'}
                </mark>
                <span className={tones[tone].rest}>
                  <ExactText text={value.slice(at + 1)} />
                </span>
              </>
            )}
          </span>
          <CopyButton text={value} label={`Copy signature (${name.toLowerCase()})`} />
        </>
      )}
    </div>
  )
}

/** Shows a mistake and its fix. */
export function ExplainedMistake({ message, fix }: Explanation) {
  return (
    <>
      <p className="font-medium wrap-anywhere">
        <ExactText text={message} />
      </p>
      <p className="mt-0.5 text-muted wrap-anywhere">
        <QuotedText text={fix} />
      </p>
    </>
  )
}
