/** How to authenticate: a secret key, or client id and secret for a token (spec 5.1 and 5.3). */
import { useState, type ReactNode } from 'react'
import { SecretField, TextAreaField, TextField } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { EnvironmentFieldsProps } from './environment-form.ts'

const names = [
  { name: 'tokenField', label: 'Access token field', usual: 'access_token', hint: undefined },
  {
    name: 'refreshTokenField',
    label: 'Refresh token field',
    usual: 'refresh_token',
    hint: 'Used in responses and requests',
  },
  {
    name: 'expiryField',
    label: 'Expiry field',
    usual: 'expires_in',
    hint: 'Seconds or a timestamp',
  },
] as const
const fields = [...names.map(({ name }) => name), 'tokenRequestFields'] as const

/** Names in a token response and extra fields of its request, for endpoints that don't use the usual ones. */
function TokenFields({ form: { draft, field, problemAt } }: Pick<EnvironmentFieldsProps, 'form'>) {
  // Open if any of them is set.
  const [opened, setOpened] = useState(() => fields.some((name) => draft[name] !== ''))
  const isWrong = fields.some((name) => problemAt(name) !== undefined)
  return (
    <details open={opened || isWrong} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary className="w-fit rounded-small text-muted">Token fields</summary>
      <div className="mt-3 flex flex-col gap-3.5">
        {names.map(({ name, label, usual, hint }) => (
          <TextField
            key={name}
            label={label}
            optional
            placeholder={usual}
            hint={hint}
            {...field(name)}
          />
        ))}
        <TextAreaField
          label="Extra request fields"
          optional
          rows={2}
          placeholder="scope=hooks"
          hint="One name=value per line. Stored as plain text."
          {...field('tokenRequestFields')}
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

export function CredentialFields({ form, hasSecret }: EnvironmentFieldsProps) {
  const { draft, change, field } = form
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
          {...field('key')}
          {...kept}
        />
      ) : (
        <>
          <TextField label="Client ID" {...field('clientId')} />
          <SecretField label="Client secret" {...field('clientSecret')} {...kept} />
          <TextField
            label="Token URL"
            inputMode="url"
            hint="Full URL or a path under the base URL, such as /oauth/token"
            {...field('tokenUrl')}
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
            {...field('authHeader')}
          />
          <TokenFields form={form} />
        </>
      )}
    </>
  )
}
