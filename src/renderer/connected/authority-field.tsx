/** Fields for a CA certificate, pasted or from a file. */
import { type ReactNode, useState } from 'react'
import { authorityOf, authorityOrigin } from '../ui-state/authorities-slice.ts'
import { useAppParts } from '../ui-state/use-app.ts'
import { type UserFile, fileSentenceOf } from '../ui-state/user-file.ts'
import { Button } from '../ui/button.tsx'
import { TextAreaField } from '../ui/field.tsx'
import { FileButton } from './file-input.tsx'
import { authorityProblem, readAuthorityFile } from './ca-certificate-file.ts'

export function CaCertificateField({
  value,
  hint,
  without,
  problem,
  onChange,
}: {
  /** PEM; empty if none is set. */
  readonly value: string
  readonly hint: ReactNode
  /** Label of the button that clears the field. */
  readonly without: string
  readonly problem: ReactNode
  readonly onChange: (caPem: string) => void
}) {
  const [fileProblem, setFileProblem] = useState<string | null>(null)
  const change = (caPem: string) => {
    setFileProblem(null)
    onChange(caPem)
  }
  const read = async (file: UserFile) => {
    try {
      change(await readAuthorityFile(file))
    } catch (error) {
      setFileProblem(fileSentenceOf(error))
    }
  }
  return (
    <>
      <TextAreaField
        label="CA certificate"
        optional
        rows={3}
        hint={hint}
        placeholder="-----BEGIN CERTIFICATE-----"
        problem={fileProblem ?? authorityProblem(value) ?? problem}
        value={value}
        onChange={change}
      />
      <div className="-mt-2 flex flex-wrap items-center gap-2">
        <FileButton
          file="certificate"
          label="CA certificate file"
          onFile={(file) => void read(file)}
        >
          Choose file…
        </FileButton>
        {value !== '' && (
          <Button kind="quiet" onClick={() => change('')}>
            {without}
          </Button>
        )}
      </div>
    </>
  )
}

interface TargetAuthority {
  readonly value: string
  /** Certificate to send with a call; null for plain HTTP or an empty field. */
  readonly targetCa: string | null
  readonly change: (value: string) => void
  /** Stores the certificate for the endpoint, once a call has accepted it. */
  readonly remember: () => void
}

/** Returns the certificate for a target: the URL typed, or the default one; empty if unknown. */
export function useTargetAuthority(target: string): TargetAuthority {
  const { storedPem, rememberAuthority } = useAppParts((state) => ({
    storedPem: authorityOf(state.authorities, target),
    rememberAuthority: state.authorities.remember,
  }))
  const [typedPem, setTypedPem] = useState<{
    readonly origin: string | null
    readonly value: string
  } | null>(null)
  const origin = authorityOrigin(target)
  // A certificate typed before the URL was complete stays, unless one is stored for the complete
  // URL.
  const value =
    typedPem !== null && (typedPem.origin === origin || storedPem === null)
      ? typedPem.value
      : (storedPem ?? '')
  const isPlain = URL.parse(target.trim())?.protocol === 'http:'
  const targetCa = isPlain || value.trim() === '' ? null : value
  return {
    value,
    targetCa,
    change: (text) => setTypedPem({ origin, value: text }),
    remember: () => rememberAuthority(target, targetCa),
  }
}

/** Edits the CA certificate of an endpoint; collapsed until needed, hidden for plain HTTP. */
export function TargetCaCertificateField({
  target,
  value,
  problem,
  several = false,
  isNeeded = false,
  onChange,
}: {
  readonly target: string
  readonly value: string
  readonly problem: ReactNode
  /** Whether there are several endpoints, which may each have their own certificate. */
  readonly several?: boolean
  /** Whether the last request failed because of the endpoint's certificate. */
  readonly isNeeded?: boolean
  readonly onChange: (caPem: string) => void
}) {
  // Expanded if a certificate is already set.
  const [isOpen, setOpen] = useState(value !== '')
  if (URL.parse(target.trim())?.protocol === 'http:') return null
  return (
    <details
      open={isOpen || isNeeded || problem !== undefined}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="w-fit rounded-small py-1 text-small font-medium text-muted">
        {several ? 'Endpoint certificates' : 'Endpoint certificate'}
        <span className="font-normal text-subtle">
          {value === ''
            ? ': any on this computer, a trusted one elsewhere'
            : several
              ? ': all must verify with this CA certificate'
              : ': must verify with this CA certificate'}
        </span>
      </summary>
      {isNeeded && (
        <p role="note" className="mt-2 rounded-control border border-warn bg-warn-wash px-3 py-2">
          Couldn't verify the endpoint's certificate. Add the CA certificate that signed it.
        </p>
      )}
      {several && (
        <p className="mt-2 text-small text-muted">
          These deliveries have several endpoints. One CA certificate applies to all of them; the
          ones saved for single endpoints aren't used.
        </p>
      )}
      <div className="mt-2 flex flex-col gap-3.5">
        <CaCertificateField
          value={value}
          hint="PEM. The endpoint's certificate must verify with it, or with a CA this computer trusts. Applies to local endpoints too."
          without="Remove"
          problem={problem}
          onChange={onChange}
        />
      </div>
    </details>
  )
}
