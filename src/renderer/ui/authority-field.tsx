/** A CA certificate to trust, pasted or from a file; the one for a target is remembered for its host. */
import { useRef, useState, type ReactNode } from 'react'
import { authorityOf, authorityOrigin } from '../state/authorities-slice.ts'
import { authorityProblem, readAuthorityFile } from '../state/authority-file.ts'
import { fileSentenceOf } from '../state/file-sentence.ts'
import { useAppParts } from '../state/use-app.ts'
import { Button } from './button.tsx'
import { TextAreaField } from './field.tsx'
import { FileInput } from './file-input.tsx'

interface AuthorityFieldProps {
  /** Empty: none. */
  readonly value: string
  readonly hint: string
  /** What it is to take the authority away. */
  readonly without: string
  readonly problem: ReactNode
  readonly onChange: (caPem: string) => void
}

export function AuthorityField({ value, hint, without, problem, onChange }: AuthorityFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const [unread, setUnread] = useState<string | null>(null)
  const change = (caPem: string) => {
    setUnread(null)
    onChange(caPem)
  }
  const read = async (file: File) => {
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
        <FileInput ref={input} label="CA certificate file" accept=".pem,.crt,.cer,.cert" onFile={(file) => void read(file)} />
        <Button onClick={() => input.current?.click()}>Choose file…</Button>
        {value !== '' && (
          <Button
            kind="quiet"
            onClick={() => {
              change('')
            }}
          >
            {without}
          </Button>
        )}
      </div>
    </>
  )
}

interface TargetAuthority {
  /** As it stands in the field. */
  readonly value: string
  /** As a call takes it. */
  readonly targetCa: string | null
  readonly change: (value: string) => void
  /** Keeps it with the endpoint, once a call has taken it. */
  readonly remember: () => void
}

/** `target`: the address that is typed, or that stands for none; empty where it is not known. */
export function useTargetAuthority(target: string): TargetAuthority {
  const { kept, rememberAuthority } = useAppParts((state) => ({
    kept: authorityOf(state.authorities, target),
    rememberAuthority: state.authorities.remember,
  }))
  const [typed, setTyped] = useState<{ readonly origin: string | null; readonly value: string } | null>(null)
  const origin = authorityOrigin(target)
  // What was typed before the address was whole is for it; what is kept for another address is not.
  const value = typed !== null && (typed.origin === origin || kept === null) ? typed.value : (kept ?? '')
  const isPlain = URL.parse(target.trim())?.protocol === 'http:'
  const targetCa = isPlain || value.trim() === '' ? null : value
  return {
    value,
    targetCa,
    change: (text) => {
      setTyped({ origin, value: text })
    },
    remember: () => {
      rememberAuthority(target, targetCa)
    },
  }
}

interface TargetAuthorityFieldProps {
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

/**
 * The authority of an endpoint that is sent to, folded away until it is needed: of an endpoint of plain HTTP there is none. The same
 * wherever something of one's own is sent to, with the same words.
 */
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
          Couldn’t verify the endpoint’s certificate. Add the CA certificate that signed it.
        </p>
      )}
      {several && (
        <p className="mt-2 text-small text-muted">
          These deliveries have several endpoints. One CA certificate applies to all of them; the ones saved for single endpoints
          aren’t used.
        </p>
      )}
      <div className="mt-2 flex flex-col gap-3.5">
        <AuthorityField
          value={value}
          hint="PEM. The endpoint’s certificate must verify with it, or with a CA this computer trusts. Applies to local endpoints too."
          without="Remove"
          problem={problem}
          onChange={onChange}
        />
      </div>
    </details>
  )
}
