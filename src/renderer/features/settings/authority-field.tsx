/** A certificate authority that is trusted besides: its PEM, pasted or from a file. */
import { useRef, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'

export interface AuthorityFieldProps {
  /** Empty: none. */
  readonly value: string
  readonly hint: string
  /** What it is to take the authority away. */
  readonly without: string
  readonly problem: ReactNode
  readonly onChange: (caPem: string) => void
}

export function AuthorityField({ value, hint, without, problem, onChange }: AuthorityFieldProps) {
  const file = useRef<HTMLInputElement>(null)
  return (
    <>
      <TextAreaField
        label="Certificate authority"
        optional
        rows={3}
        hint={hint}
        placeholder="-----BEGIN CERTIFICATE-----"
        problem={problem}
        value={value}
        onChange={onChange}
      />
      <div className="-mt-2 flex flex-wrap items-center gap-2">
        <input
          ref={file}
          type="file"
          accept=".pem,.crt,.cer"
          aria-label="File of the certificate authority"
          className="hidden"
          onChange={(event) => {
            const [chosen] = event.currentTarget.files ?? []
            void chosen?.text().then(onChange)
          }}
        />
        <Button onClick={() => file.current?.click()}>From a file…</Button>
        {value !== '' && (
          <Button
            kind="quiet"
            onClick={() => {
              onChange('')
            }}
          >
            {without}
          </Button>
        )}
      </div>
    </>
  )
}
