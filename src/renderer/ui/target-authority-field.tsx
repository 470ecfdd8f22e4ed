/**
 * The authority of an endpoint that is sent to, folded away until it is needed: of an endpoint of plain HTTP there is none. The same
 * wherever something of one's own is sent to, with the same words.
 */
import { useState, type ReactNode } from 'react'
import { AuthorityField } from './authority-field.tsx'

export interface TargetAuthorityFieldProps {
  /** Where to; empty where it is not known yet. */
  readonly target: string
  readonly value: string
  readonly problem: ReactNode
  /** It stands for several endpoints, each of which may have one of its own. */
  readonly several?: boolean
  /** It may be what is missing: unfolded from the start. */
  readonly shown?: boolean
  /** The certificate of the endpoint was what kept the last request from it. */
  readonly wanted?: boolean
  readonly onChange: (caPem: string) => void
}

export function TargetAuthorityField({
  target,
  value,
  problem,
  several = false,
  shown = false,
  wanted = false,
  onChange,
}: TargetAuthorityFieldProps) {
  // Whoever has given one wants to see it.
  const [opened, setOpened] = useState(shown || value !== '')
  if (URL.parse(target.trim())?.protocol === 'http:') return null
  return (
    <details
      open={opened || wanted || problem !== undefined}
      onToggle={(event) => {
        setOpened(event.currentTarget.open)
      }}
    >
      <summary className="w-fit rounded-small text-small font-medium text-muted">
        {several ? 'The endpoints’ certificates' : 'The endpoint’s certificate'}
        <span className="font-normal text-subtle">
          {value === ''
            ? ': any on this machine, elsewhere a trusted one'
            : several
              ? ': all have to verify with the authority given'
              : ': has to verify with the authority given'}
        </span>
      </summary>
      {wanted && (
        <p role="note" className="mt-2 rounded-control border border-warn bg-warn-wash px-3 py-2">
          The certificate of the endpoint did not verify. Give the authority that signed it here.
        </p>
      )}
      {several && (
        <p className="mt-2 text-small text-muted">
          These go to several endpoints, and one authority holds for all of them: what was given for each before is not used here.
        </p>
      )}
      <div className="mt-2 flex flex-col gap-3.5">
        <AuthorityField
          value={value}
          hint="PEM. The certificate has to verify with it, or with one that this machine trusts; on this machine too."
          without="Do without it"
          problem={problem}
          onChange={onChange}
        />
      </div>
    </details>
  )
}
