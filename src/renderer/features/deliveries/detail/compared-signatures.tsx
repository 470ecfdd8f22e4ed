/** The signature that was computed over the one that came, character under character, the first that differs marked. */
import type { SignatureReport } from '../../../../shared/model/signature.ts'
import { CopyButton } from '../../../ui/copy.tsx'
import { ExactText } from '../../../ui/exact-text.tsx'
import { ordinal } from '../../../ui/moment.ts'

export function ComparedSignatures({ signature }: { readonly signature: SignatureReport }) {
  const { expected, received, firstDifference } = signature
  const equal = expected !== null && received !== null && firstDifference === null
  return (
    <>
      <div className="rounded-control border border-line bg-ground">
        <Line
          name="Computed"
          value={expected}
          at={firstDifference}
          missing="not known: there is no secret to compute it with"
          tone="ok"
        />
        <div className="border-t border-line" />
        <Line
          name="Received"
          value={received}
          at={firstDifference}
          missing="missing: the request has no signature header"
          tone={equal ? 'ok' : 'bad'}
        />
      </div>
      {expected !== null && received !== null && (
        <p className={`mt-1.5 text-small ${equal ? 'text-ok' : 'text-bad'}`}>
          {firstDifference === null
            ? 'Equal, character for character.'
            : `They differ from the ${ordinal(firstDifference + 1)} character on.`}
        </p>
      )}
    </>
  )
}

interface LineProps {
  readonly name: string
  readonly value: string | null
  readonly at: number | null
  readonly missing: string
  readonly tone: 'ok' | 'bad'
}

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
                  className={`rounded-small px-px font-semibold underline underline-offset-2 ${tone === 'ok' ? 'bg-ok-wash text-ok' : 'bg-bad-wash text-bad'}`}
                >
                  {at < value.length ? <ExactText text={value.charAt(at)} /> : '␃'}
                </mark>
                <span className={tone === 'ok' ? 'text-ok' : 'text-bad'}>
                  <ExactText text={value.slice(at + 1)} />
                </span>
              </>
            )}
          </span>
          <CopyButton text={value} label={`Copy the ${name.toLowerCase()} signature`} />
        </>
      )}
    </div>
  )
}
