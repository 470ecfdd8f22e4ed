/** A mistake in words: what was done, what to do instead, and the name under which the documentation lists it. */
import { ExactText } from '../../ui/exact-text.tsx'

export interface ExplainedMistakeProps {
  readonly message: string
  readonly fix: string
  /** Names of the mistakes, as in `docs/diagnosis.md`. */
  readonly causes: readonly string[]
}

export function ExplainedMistake({ message, fix, causes }: ExplainedMistakeProps) {
  return (
    <>
      <p className="font-medium wrap-anywhere">
        <ExactText text={message} />
      </p>
      <p className="mt-0.5 text-muted wrap-anywhere">
        <ExactText text={fix} />
      </p>
      {causes.length > 0 && <p className="data mt-1 text-tiny text-subtle">{causes.join('  ')}</p>}
    </>
  )
}
