/** A field for a CA certificate, pasted or from a file. For a target, it is remembered by host. */
import { type ReactNode, useState } from 'react'
import { authorityOf, authorityOrigin } from '../ui-state/authorities-slice.ts'
import { useAppParts } from '../ui-state/use-app.ts'
import { type UserFile, fileSentenceOf, fileText } from '../ui-state/user-file.ts'
import { Button } from './button.tsx'
import { TextAreaField } from './field.tsx'
import { FileButton } from './file-input.tsx'
import { AppError } from '../../shared/contract/errors.ts'
import { MOST_AUTHORITY } from '../../shared/model/send.ts'

export function CaCertificateField({
  value,
  hint,
  without,
  problem,
  onChange,
}: {
  /** Empty if none is set. */
  readonly value: string
  readonly hint: ReactNode
  /** Label of the button that clears the field. */
  readonly without: string
  readonly problem: ReactNode
  readonly onChange: (caPem: string) => void
}) {
  const [unread, setUnread] = useState<string | null>(null)
  const change = (caPem: string) => {
    setUnread(null)
    onChange(caPem)
  }
  const read = async (file: UserFile) => {
    try {
      change(await readAuthorityFile(file))
    } catch (error) {
      setUnread(fileSentenceOf(error))
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
        problem={unread ?? authorityProblem(value) ?? problem}
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
  readonly targetCa: string | null
  readonly change: (value: string) => void
  /** Stores it for the endpoint once a call has accepted it. */
  readonly remember: () => void
}

/** `target`: the URL typed, or the default one; empty if unknown. */
export function useTargetAuthority(target: string): TargetAuthority {
  const { kept, rememberAuthority } = useAppParts((state) => ({
    kept: authorityOf(state.authorities, target),
    rememberAuthority: state.authorities.remember,
  }))
  const [typed, setTyped] = useState<{
    readonly origin: string | null
    readonly value: string
  } | null>(null)
  const origin = authorityOrigin(target)
  // A certificate entered before the URL was complete belongs to it; one stored for another URL does not.
  const value =
    typed !== null && (typed.origin === origin || kept === null) ? typed.value : (kept ?? '')
  const isPlain = URL.parse(target.trim())?.protocol === 'http:'
  const targetCa = isPlain || value.trim() === '' ? null : value
  return {
    value,
    targetCa,
    change: (text) => setTyped({ origin, value: text }),
    remember: () => rememberAuthority(target, targetCa),
  }
}

/**
 * The CA certificate for an endpoint, collapsed until needed and hidden for plain HTTP. Used by every form that sends to the user's
 * endpoint.
 */
export function TargetCaCertificateField({
  target,
  value,
  problem,
  several = false,
  wanted = false,
  onChange,
}: {
  /** The target's URL; empty if not known yet. */
  readonly target: string
  readonly value: string
  readonly problem: ReactNode
  /** Several endpoints, which may each have their own certificate. */
  readonly several?: boolean
  /** The last request failed because of the endpoint's certificate. */
  readonly wanted?: boolean
  readonly onChange: (caPem: string) => void
}) {
  // Expanded if a certificate is already set.
  const [opened, setOpened] = useState(value !== '')
  if (URL.parse(target.trim())?.protocol === 'http:') return null
  return (
    <details
      open={opened || wanted || problem !== undefined}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary className="w-fit rounded-small text-small font-medium text-muted">
        {several ? 'Endpoint certificates' : 'Endpoint certificate'}
        <span className="font-normal text-subtle">
          {value === ''
            ? ': any on this computer, a trusted one elsewhere'
            : several
              ? ': all must verify with this CA certificate'
              : ': must verify with this CA certificate'}
        </span>
      </summary>
      {wanted && (
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

// Reads a CA certificate file and explains why one is rejected.

const PEM = '-----BEGIN CERTIFICATE-----'

/** The problem with a pasted CA certificate, judged by its length only; undefined if there is none. */
export function authorityProblem(text: string): string | undefined {
  return text.length > MOST_AUTHORITY
    ? `Too long: ${text.length.toLocaleString('en')} characters. A CA certificate has a few thousand, at most ${MOST_AUTHORITY.toLocaleString('en')}.`
    : undefined
}

/** Rejects with `INVALID_INPUT` if the file can't be a certificate, or with the host's error if it can't be read. */
export async function readAuthorityFile(file: Pick<UserFile, 'name' | 'pieces'>): Promise<string> {
  const tooLarge = new AppError(
    'INVALID_INPUT',
    `${file.name} is too large. A CA certificate file has a few thousand bytes, at most ${MOST_AUTHORITY.toLocaleString('en')}.`,
  )
  const text = await fileText(file, MOST_AUTHORITY, tooLarge)
  if (text.includes(PEM)) return text
  throw new AppError(
    'INVALID_INPUT',
    `${file.name} isn't a PEM certificate. Convert a DER file with: openssl x509 -inform der -in FILE`,
  )
}
