/** A certificate authority that is trusted besides: its PEM, pasted or from a file. */
import { useRef, useState, type ReactNode } from 'react'
import { authorityProblem, readAuthorityFile } from '../state/authority-file.ts'
import { fileSentenceOf } from '../state/file-sentence.ts'
import { Button } from './button.tsx'
import { FileInput } from './file-input.tsx'
import { TextAreaField } from './text-area-field.tsx'

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
