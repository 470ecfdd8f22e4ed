/** How to authenticate: a secret key, or client id and secret for a token (spec 5.1 and 5.3). */
import { useState, type ReactNode } from 'react'
import { SecretField, TextAreaField, TextField } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { EnvironmentFieldsProps } from './environment-form.ts'

const names = [
  { field: 'tokenField', label: 'Access token field', usual: 'access_token', hint: undefined },
  {
    field: 'refreshTokenField',
    label: 'Refresh token field',
    usual: 'refresh_token',
    hint: 'Used in responses and requests',
  },
  {
    field: 'expiryField',
    label: 'Expiry field',
    usual: 'expires_in',
    hint: 'Seconds or a timestamp',
  },
] as const
const fields = [...names.map(({ field }) => field), 'tokenRequestFields'] as const

/** Names in a token response and extra fields of its request, for endpoints that don't use the usual ones. */
function TokenFields({ draft, change, problemAt }: EnvironmentFieldsProps) {
  // Open if any of them is set.
  const [opened, setOpened] = useState(() => fields.some((field) => draft[field] !== ''))
  const isWrong = fields.some((field) => problemAt(field) !== undefined)
  return (
    <details open={opened || isWrong} onToggle={(event) => setOpened(event.currentTarget.open)}>
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
            onChange={(name) => change({ [field]: name })}
          />
        ))}
        <TextAreaField
          label="Extra request fields"
          optional
          rows={2}
          placeholder="scope=hooks"
          hint="One name=value per line. Stored as plain text."
          problem={problemAt('tokenRequestFields')}
          value={draft.tokenRequestFields}
          onChange={(tokenRequestFields) => change({ tokenRequestFields })}
        />
      </div>
    </details>
  )
}

/** A labeled choice with a note. The control has the accessible name. */
export function Choice({
  name,
  note,
  children,
}: {
  readonly name: string
  readonly note: string
  readonly children: ReactNode
}) {
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="text-small font-medium text-muted" aria-hidden>
        {name}
      </p>
      {children}
      <p className="text-small text-subtle">{note}</p>
    </div>
  )
}

const kinds = [
  { value: 'service-key', label: 'Service key' },
  { value: 'bearer', label: 'Bearer token' },
] as const

const forms = [
  { value: 'json', label: 'JSON' },
  { value: 'form', label: 'Form' },
] as const

export function CredentialFields({ draft, hasSecret, change, problemAt }: EnvironmentFieldsProps) {
  const kept = hasSecret ? { placeholder: 'unchanged' } : {}
  return (
    <>
      <Choice name="Authentication" note="Bearer tokens are announced for API version 2.0">
        <Segments
          label="Authentication"
          options={kinds}
          value={draft.auth}
          onChange={(auth) => change({ auth })}
        />
      </Choice>
      {draft.auth === 'service-key' ? (
        <SecretField
          label="Secret key"
          hint="Starts with sk. Public keys (pk…) don't work."
          problem={problemAt('key')}
          value={draft.key}
          onChange={(key) => change({ key })}
          {...kept}
        />
      ) : (
        <>
          <TextField
            label="Client ID"
            problem={problemAt('clientId')}
            value={draft.clientId}
            onChange={(clientId) => change({ clientId })}
          />
          <SecretField
            label="Client secret"
            problem={problemAt('clientSecret')}
            value={draft.clientSecret}
            onChange={(clientSecret) => change({ clientSecret })}
            {...kept}
          />
          <TextField
            label="Token URL"
            inputMode="url"
            hint="Full URL or a path under the base URL, such as /oauth/token"
            problem={problemAt('tokenUrl')}
            value={draft.tokenUrl}
            onChange={(tokenUrl) => change({ tokenUrl })}
            placeholder="https://"
          />
          <Choice name="Token request" note="How request fields are encoded">
            <Segments
              label="Token request"
              options={forms}
              value={draft.tokenForm}
              onChange={(tokenForm) => change({ tokenForm })}
            />
          </Choice>
          <TextField
            label="Token header"
            optional
            hint="Sent as Bearer …"
            placeholder="Authentication"
            problem={problemAt('authHeader')}
            value={draft.authHeader}
            onChange={(authHeader) => change({ authHeader })}
          />
          <TokenFields draft={draft} hasSecret={hasSecret} change={change} problemAt={problemAt} />
        </>
      )}
    </>
  )
}
