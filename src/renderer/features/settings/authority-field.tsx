/** A certificate authority that is trusted besides: its PEM, pasted or from a file. */
import { useRef, useState, type ReactNode } from 'react'
import { fileSentenceOf } from '../../state/file-sentence.ts'
import { Button } from '../../ui/button.tsx'
import { FileInput } from '../../ui/file-input.tsx'
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
  const input = useRef<HTMLInputElement>(null)
  const [unread, setUnread] = useState<string | null>(null)
  const change = (caPem: string) => {
    setUnread(null)
    onChange(caPem)
  }
  const read = async (file: File) => {
    try {
      change(await file.text())
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
        problem={unread ?? problem}
        value={value}
        onChange={change}
      />
      <div className="-mt-2 flex flex-wrap items-center gap-2">
        <FileInput
          ref={input}
          label="File of the certificate authority"
          accept=".pem,.crt,.cer"
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
