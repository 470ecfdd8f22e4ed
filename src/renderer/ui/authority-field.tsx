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
        label="Certificate authority"
        optional
        rows={3}
        hint={hint}
        placeholder="-----BEGIN CERTIFICATE-----"
        problem={unread ?? authorityProblem(value) ?? problem}
        value={value}
        onChange={change}
      />
      <div className="-mt-2 flex flex-wrap items-center gap-2">
        <FileInput
          ref={input}
          label="File of the certificate authority"
          accept=".pem,.crt,.cer,.cert"
          onFile={(file) => void read(file)}
        />
        <Button onClick={() => input.current?.click()}>From a file…</Button>
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
