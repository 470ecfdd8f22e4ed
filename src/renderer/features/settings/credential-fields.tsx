/** How to authenticate: a secret key, or client id and secret for a token (spec 5.1 and 5.3). */
import { SecretField } from '../../ui/secret-field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Choice } from './choice.tsx'
import type { EnvironmentFieldsProps } from './environment-form.ts'
import { TokenFields } from './token-fields.tsx'

const kinds = [
  { value: 'service-key', label: 'Service key' },
  { value: 'bearer', label: 'Bearer token' },
] as const

const forms = [
  { value: 'json', label: 'JSON' },
  { value: 'form', label: 'Form' },
] as const

export function CredentialFields({ draft, hasSecret, change, problemAt }: EnvironmentFieldsProps) {
  const kept = hasSecret ? { placeholder: 'stays as it is' } : {}
  return (
    <>
      <Choice name="Authentication" note="Bearer tokens are announced for version 2.0 of the interface">
        <Segments
          label="Authentication"
          options={kinds}
          value={draft.auth}
          onChange={(auth) => {
            change({ auth })
          }}
        />
      </Choice>
      {draft.auth === 'service-key' ? (
        <SecretField
          label="Secret key"
          hint="It starts with sk; a public key (pk…) is refused"
          problem={problemAt('key')}
          value={draft.key}
          onChange={(key) => {
            change({ key })
          }}
          {...kept}
        />
      ) : (
        <>
          <TextField
            label="Client id"
            problem={problemAt('clientId')}
            value={draft.clientId}
            onChange={(clientId) => {
              change({ clientId })
            }}
          />
          <SecretField
            label="Client secret"
            problem={problemAt('clientSecret')}
            value={draft.clientSecret}
            onChange={(clientSecret) => {
              change({ clientSecret })
            }}
            {...kept}
          />
          <TextField
            label="Token URL"
            inputMode="url"
            hint="URL of the token endpoint, or its path at the base URL, such as /oauth/token"
            problem={problemAt('tokenUrl')}
            value={draft.tokenUrl}
            onChange={(tokenUrl) => {
              change({ tokenUrl })
            }}
            placeholder="https://"
          />
          <Choice name="Token request" note="Encoding of the request fields">
            <Segments
              label="Token request"
              options={forms}
              value={draft.tokenForm}
              onChange={(tokenForm) => {
                change({ tokenForm })
              }}
            />
          </Choice>
          <TextField
            label="Token header"
            optional
            hint="Carries the token as Bearer …"
            placeholder="Authentication"
            problem={problemAt('authHeader')}
            value={draft.authHeader}
            onChange={(authHeader) => {
              change({ authHeader })
            }}
          />
          <TokenFields draft={draft} hasSecret={hasSecret} change={change} problemAt={problemAt} />
        </>
      )}
    </>
  )
}
