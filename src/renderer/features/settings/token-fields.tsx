/** Names in a token response and extra fields of its request, for endpoints that don't use the usual ones. */
import { useState } from 'react'
import { TextAreaField } from '../../ui/text-area-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { EnvironmentFieldsProps } from './environment-form.ts'

const names = [
  { field: 'tokenField', label: 'Access token field', usual: 'access_token', hint: undefined },
  { field: 'refreshTokenField', label: 'Refresh token field', usual: 'refresh_token', hint: 'Used in responses and requests' },
  { field: 'expiryField', label: 'Expiry field', usual: 'expires_in', hint: 'Seconds, or a time' },
] as const
const fields = [...names.map(({ field }) => field), 'tokenRequestFields'] as const

export function TokenFields({ draft, change, problemAt }: EnvironmentFieldsProps) {
  // Open if any of them is set.
  const [opened, setOpened] = useState(() => fields.some((field) => draft[field] !== ''))
  const isWrong = fields.some((field) => problemAt(field) !== undefined)
  return (
    <details
      open={opened || isWrong}
      onToggle={(event) => {
        setOpened(event.currentTarget.open)
      }}
    >
      <summary className="w-fit rounded-small text-muted">Token fields</summary>
      <div className="mt-3 flex flex-col gap-3.5">
        {names.map(({ field, label, usual, hint }) => (
          <TextField
            key={field}
            label={label}
            optional
            placeholder={usual}
            hint={hint}
            problem={problemAt(field)}
            value={draft[field]}
            onChange={(name) => {
              change({ [field]: name })
            }}
          />
        ))}
        <TextAreaField
          label="Extra request fields"
          optional
          rows={2}
          placeholder="scope=hooks"
          hint="One name=value per line. Stored in clear."
          problem={problemAt('tokenRequestFields')}
          value={draft.tokenRequestFields}
          onChange={(tokenRequestFields) => {
            change({ tokenRequestFields })
          }}
        />
      </div>
    </details>
  )
}
