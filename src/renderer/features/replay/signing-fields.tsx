/** The signing options of a replay: signature, timestamp, secret, signed URL and tampering. */
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import {
  tamperSchema,
  type SignatureMode,
  type Tamper,
  type TimestampMode,
} from '../../../shared/model/send.ts'
import { signedUrlOf } from '../../../shared/model/replay-edits.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { TextField } from '../../ui/field.tsx'
import type { Draft } from './draft.ts'
import { SelectField, type ListedChoice } from '../../ui/select.tsx'

const REJECTED = 'Your handler should reject these'

export const tamperWords: Readonly<
  Record<Tamper, { readonly label: string; readonly note?: string }>
> = {
  body: { label: 'Change body', note: 'After signing' },
  secret: { label: 'Wrong secret' },
  url: { label: 'Wrong URL', note: 'other=1 added' },
  'single-pass': { label: 'Single pass', note: 'Hashed once' },
  stale: { label: 'Old timestamp', note: '10 min old' },
  future: { label: 'Future timestamp', note: '10 min ahead' },
  'no-signature': { label: 'No signature' },
  'no-timestamp': { label: 'No timestamp' },
}

const tamperChoices: readonly ListedChoice<Tamper | ''>[] = [
  { value: '', label: 'None' },
  ...Object.entries(tamperWords).map(([value, words]) => ({
    value: tamperSchema.parse(value),
    ...words,
    group: REJECTED,
  })),
]

interface SigningFieldsProps {
  readonly draft: Draft
  readonly onChange: (part: Partial<Draft>) => void
  readonly hooks: readonly Hook[]
  /** Hook whose secret signs; null if unknown. */
  readonly hook: Hook | null
  /** Saved handler of the target, with its signed URL and maybe a secret. */
  readonly handler: SavedHandler | null
  /** Whether several deliveries are replayed, each with its own hook. */
  readonly several: boolean
  readonly bodyChanged: boolean
  /** Whether it is a new request, which has no captured signature. */
  readonly isNew: boolean
}

export function SigningFields(props: SigningFieldsProps) {
  const { draft, onChange, handler, isNew } = props
  const { signature, tamper } = draft
  const isResigned = signature === 'recompute'
  return (
    // Labels stand left of their fields.
    <div className="flex flex-col gap-2 *:grid *:grid-cols-[76px_minmax(0,1fr)] *:items-center *:gap-x-3 [&_p]:col-start-2">
      {isNew ? (
        handler?.hasSecret === true && <p>Signed with {handlerRef(handler)}'s secret.</p>
      ) : (
        <SelectField<SignatureMode>
          label="Signature"
          aside={
            isResigned && handler?.hasSecret === true
              ? `with ${handlerRef(handler)}'s secret`
              : undefined
          }
          hint={<SigningWords {...props} />}
          choices={[
            { value: 'recompute', label: 'Re-sign on send' },
            { value: 'keep', label: 'As in the headers' },
            { value: 'drop', label: 'Omit' },
          ]}
          value={signature}
          onChange={(next) => onChange({ signature: next })}
        />
      )}
      <SecretAndTimestamp {...props} />
      {isResigned && handler === null && <SignedUrlFields draft={draft} onChange={onChange} />}
      {isResigned && (
        <SelectField
          label="Tamper"
          choices={tamperChoices}
          value={tamper ?? ''}
          onChange={(value) => onChange({ tamper: value === '' ? null : value })}
        />
      )}
    </div>
  )
}

function SecretAndTimestamp(props: SigningFieldsProps) {
  const { draft, onChange, hooks, handler, several, isNew } = props
  const { signature, timestamp, hookId } = draft
  return (
    <>
      {signature === 'recompute' && handler?.hasSecret !== true && (
        <SelectField
          label="Secret"
          hint={isNew ? <SigningWords {...props} /> : undefined}
          choices={[
            { value: '', label: ownHookWords({ several, isNew }) },
            ...hooks.map(({ id, event, environment, url }) => ({
              value: id,
              label: event,
              note: `${environment} · ${url}`,
            })),
          ]}
          value={hookId}
          onChange={(next) => onChange({ hookId: next })}
        />
      )}
      {signature !== 'keep' && !isNew && (
        <SelectField<TimestampMode>
          label="Timestamp"
          choices={[
            { value: 'now', label: 'Time of sending' },
            { value: 'original', label: 'As in the headers' },
          ]}
          value={timestamp}
          onChange={(next) => onChange({ timestamp: next })}
        />
      )}
    </>
  )
}

function ownHookWords({ several, isNew }: Pick<SigningFieldsProps, 'several' | 'isNew'>): string {
  if (isNew) return "Event's hook"
  return several ? "Each delivery's hook" : "Delivery's hook"
}

function SignedUrlFields({ draft, onChange }: Pick<SigningFieldsProps, 'draft' | 'onChange'>) {
  const { signedUrl, target } = draft
  const urlChoice =
    signedUrl === '' ? 'registered' : signedUrl === target.trim() ? 'target' : 'other'
  return (
    <>
      <SelectField
        label="Registered URL"
        choices={[
          { value: 'registered', label: 'As registered' },
          ...(target.trim() === '' ? [] : [{ value: 'target', label: 'URL it is sent to' }]),
          { value: 'other', label: 'Custom URL…' },
        ]}
        value={urlChoice}
        onChange={(value) =>
          onChange({
            signedUrl:
              value === 'registered' ? '' : value === 'target' ? target.trim() : 'https://',
          })
        }
      />
      {urlChoice === 'other' && (
        <TextField
          label="Custom registered URL"
          value={signedUrl}
          onChange={(value) => onChange({ signedUrl: value })}
          hint="Exactly as the endpoint knows it."
        />
      )}
    </>
  )
}

/** Returns the signed URL for several deliveries in words. */
function signedUrlWords({ signedUrl, tamper }: Draft): string {
  if (signedUrl !== '') return signedUrlOf(signedUrl, tamper)
  return tamper === 'url'
    ? 'its registered URL with other=1 added to the query'
    : 'its registered URL'
}

function tamperSentence(tamper: Tamper | null): string {
  if (tamper === null) return ''
  return tamper === 'url'
    ? ' Deliberately a different URL than below.'
    : ' Then tampered with as chosen below.'
}

function SigningWords(props: SigningFieldsProps) {
  const { draft, hook, handler, several, bodyChanged, isNew } = props
  if (draft.signature === 'keep') {
    return bodyChanged
      ? 'Signature of the captured body, not this one. A verifying handler rejects it.'
      : 'As old as the delivery. A handler that checks the timestamp rejects it.'
  }
  if (draft.signature === 'drop') return 'No signature. A verifying handler rejects it.'
  if (handler?.hasSecret === true) return tamperSentence(draft.tamper).trim()
  if (hook === null && isNew)
    return draft.event === ''
      ? 'Choose an event, or a secret.'
      : 'No active hook receives this event. Choose a secret, or a handler with its own.'
  if (hook === null) {
    return several
      ? `Signed with each hook's secret over ${signedUrlWords(draft)}.`
      : 'No hook for this delivery. Choose a secret, keep the captured signature, or omit it.'
  }
  return (
    <>
      Signed with the {hook.event} hook's secret in {hook.environment}, over{' '}
      <span className="data wrap-anywhere">
        <ExactText
          text={signedUrlOf(
            draft.signedUrl === '' ? (handler?.registeredUrl ?? hook.url) : draft.signedUrl,
            draft.tamper,
          )}
        />
      </span>
      .{tamperSentence(draft.tamper)}
    </>
  )
}
