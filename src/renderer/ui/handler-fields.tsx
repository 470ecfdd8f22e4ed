/** Fields for the developer's handler: its URL, its secret and its registered URL. */
import type { ReactNode } from 'react'
import { SecretField, TextField } from './field.tsx'

interface HandlerFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

export interface HandlerUrlFieldProps extends HandlerFieldProps {
  readonly label: string
  readonly hint: ReactNode
  readonly optional?: boolean
}

export function HandlerUrlField(props: HandlerUrlFieldProps) {
  return <TextField inputMode="url" placeholder="http://127.0.0.1:3000/webhooks" {...props} />
}

export function HandlerSecretField(props: HandlerFieldProps & { readonly problem?: ReactNode }) {
  return <SecretField label="Handler secret" hint="The secret your handler verifies with. Not stored." {...props} />
}

/** `otherwise` is the URL that is signed if the field is empty. */
export function RegisteredUrlField({ otherwise, ...props }: HandlerFieldProps & { readonly otherwise: string }) {
  return (
    <TextField
      label="Registered URL"
      optional
      inputMode="url"
      placeholder={otherwise}
      hint="The URL your handler is configured with. It's part of the signature."
      {...props}
    />
  )
}
