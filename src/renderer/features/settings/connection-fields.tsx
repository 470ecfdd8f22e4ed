/** What is seldom needed to reach a service: a certificate authority of its own, a proxy, another time-out. */
import { useId, useRef, useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, controlLook } from '../../ui/field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { EnvironmentFieldsProps } from './environment-form.ts'

export function ConnectionFields({ draft, isNew, change, problemAt }: EnvironmentFieldsProps) {
  const file = useRef<HTMLInputElement>(null)
  const [opened, setOpened] = useState(false)
  const stays = isNew ? '' : 'stays as it is'
  const isWrong = (['caPem', 'proxy', 'timeout'] as const).some((field) => problemAt(field) !== undefined)
  return (
    <details
      open={opened || isWrong}
      onToggle={(event) => {
        setOpened(event.currentTarget.open)
      }}
    >
      <summary className="w-fit rounded-small text-muted">Connection: certificate authority, proxy, time-out</summary>
      <div className="mt-3 flex flex-col gap-3.5">
        <Field
          label="Certificate authority"
          optional
          hint="PEM, trusted beside those of the system, for this environment alone"
          problem={problemAt('caPem')}
        >
          {({ id, describedBy, invalid }) => (
            <textarea
              id={id}
              rows={3}
              spellCheck={false}
              disabled={draft.dropCa}
              placeholder={isNew ? '-----BEGIN CERTIFICATE-----' : stays}
              value={draft.caPem}
              onChange={(event) => {
                change({ caPem: event.currentTarget.value })
              }}
              aria-describedby={describedBy}
              aria-invalid={invalid}
              className={`${controlLook} h-auto resize-y py-1.5 font-mono text-small disabled:opacity-60`}
            />
          )}
        </Field>
        <div className="-mt-2 flex flex-wrap items-center gap-4">
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
          <Button disabled={draft.dropCa} onClick={() => file.current?.click()}>
            From a file…
          </Button>
          {!isNew && (
            <Tick
              checked={draft.dropCa}
              onChange={(dropCa) => {
                change({ dropCa })
              }}
            >
              Use none
            </Tick>
          )}
        </div>
        <TextField
          label="Proxy"
          optional
          inputMode="url"
          placeholder={isNew ? 'http://' : stays}
          problem={problemAt('proxy')}
          disabled={draft.dropProxy}
          value={draft.proxy}
          onChange={(proxy) => {
            change({ proxy })
          }}
        />
        {!isNew && (
          <div className="-mt-2">
            <Tick
              checked={draft.dropProxy}
              onChange={(dropProxy) => {
                change({ dropProxy })
              }}
            >
              Use none
            </Tick>
          </div>
        )}
        <TextField
          label="Time-out in seconds"
          optional
          inputMode="decimal"
          placeholder={isNew ? '30' : stays}
          problem={problemAt('timeout')}
          value={draft.timeout}
          onChange={(timeout) => {
            change({ timeout })
          }}
        />
      </div>
    </details>
  )
}

interface TickProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ReactNode
}

function Tick({ checked, onChange, children }: TickProps) {
  const id = useId()
  return (
    <label htmlFor={id} className="flex items-center gap-2 text-small">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(event) => {
          onChange(event.currentTarget.checked)
        }}
        className="size-4 accent-(--accent-solid)"
      />
      {children}
    </label>
  )
}
