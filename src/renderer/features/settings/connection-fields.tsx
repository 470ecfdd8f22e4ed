/** What is seldom needed to reach a service: a certificate authority of its own, a proxy, another time-out. */
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { newEnvironment, type EnvironmentFieldsProps } from './environment-form.ts'

export function ConnectionFields({ draft, change, problemAt }: EnvironmentFieldsProps) {
  const file = useRef<HTMLInputElement>(null)
  // Whoever has set something of it wants to see it.
  const [opened, setOpened] = useState(() => draft.caPem !== '' || draft.proxy !== '' || draft.timeout !== newEnvironment.timeout)
  const isWrong = (['caPem', 'proxy', 'timeoutMs'] as const).some((field) => problemAt(field) !== undefined)
  return (
    <details
      open={opened || isWrong}
      onToggle={(event) => {
        setOpened(event.currentTarget.open)
      }}
    >
      <summary className="w-fit rounded-small text-muted">Connection: certificate authority, proxy, time-out</summary>
      <div className="mt-3 flex flex-col gap-3.5">
        <TextAreaField
          label="Certificate authority"
          optional
          rows={3}
          hint="PEM, trusted beside those of the system, for this environment alone"
          placeholder="-----BEGIN CERTIFICATE-----"
          problem={problemAt('caPem')}
          value={draft.caPem}
          onChange={(caPem) => {
            change({ caPem })
          }}
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
              void chosen?.text().then((caPem) => {
                change({ caPem })
              })
            }}
          />
          <Button onClick={() => file.current?.click()}>From a file…</Button>
          {draft.caPem !== '' && (
            <Button
              kind="quiet"
              onClick={() => {
                change({ caPem: '' })
              }}
            >
              Trust the system’s alone
            </Button>
          )}
        </div>
        <TextField
          label="Proxy"
          optional
          inputMode="url"
          placeholder="http://"
          hint="Empty: none"
          problem={problemAt('proxy')}
          value={draft.proxy}
          onChange={(proxy) => {
            change({ proxy })
          }}
        />
        <TextField
          label="Time-out in seconds"
          optional
          inputMode="decimal"
          placeholder={newEnvironment.timeout}
          problem={problemAt('timeoutMs')}
          value={draft.timeout}
          onChange={(timeout) => {
            change({ timeout })
          }}
        />
      </div>
    </details>
  )
}
