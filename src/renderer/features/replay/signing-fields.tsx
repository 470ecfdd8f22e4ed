/** Signing options of a replay: signature, timestamp, secret, signed URL and tampering. */
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { tamperSchema, type SignatureMode, type Tamper, type TimestampMode } from '../../../shared/model/send.ts'
import { signedUrlOf } from '../../../shared/model/replay-edits.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import type { Draft } from './draft.ts'

const tamperWords: Readonly<Record<Tamper, string>> = {
  body: 'Change body',
  secret: 'Wrong secret',
  stale: 'Ten minutes old',
  future: 'Ten minutes ahead',
  'single-pass': 'Hash once instead of twice',
  'no-signature': 'Remove signature',
  'no-timestamp': 'Remove timestamp',
  url: 'Sign another URL',
}

export interface SigningFieldsProps {
  readonly draft: Draft
  readonly onChange: (part: Partial<Draft>) => void
  readonly hooks: readonly Hook[]
  /** The hook whose secret signs, if known. */
  readonly hook: Hook | null
  /** The saved handler that the target names: it brings the secret, if it has one, and the signed URL. */
  readonly handler: SavedHandler | null
  /** Whether several deliveries are replayed, each with its own hook. */
  readonly several: boolean
  readonly bodyChanged: boolean
}

export function SigningFields({ draft, onChange, hooks, hook, handler, several, bodyChanged }: SigningFieldsProps) {
  const { signature, timestamp, tamper, hookId, signedUrl, target } = draft
  const isAnew = signature === 'recompute'
  const over = signedUrl === '' ? 'registered' : signedUrl === target.trim() ? 'target' : 'other'
  return (
    <div className="flex flex-col gap-3">
      <SelectField
        label="Signature"
        value={signature}
        onChange={(value) => {
          onChange({ signature: value as SignatureMode })
        }}
      >
        <option value="recompute">Re-sign on send</option>
        <option value="keep">As in the headers</option>
        <option value="drop">Omit</option>
      </SelectField>
      <p className="-mt-1.5 text-small wrap-anywhere text-muted" data-signing>
        <SigningWords draft={draft} hook={hook} handler={handler} several={several} bodyChanged={bodyChanged} />
      </p>
      {signature !== 'keep' && (
        <SelectField
          label="Timestamp"
          value={timestamp}
          onChange={(value) => {
            onChange({ timestamp: value as TimestampMode })
          }}
        >
          <option value="now">Time of sending</option>
          <option value="original">As in the headers</option>
        </SelectField>
      )}
      {isAnew && (
        <>
          {handler?.hasSecret !== true && (
            <SelectField
              label="Secret"
              value={hookId}
              onChange={(value) => {
                onChange({ hookId: value })
              }}
            >
              <option value="">{several ? "Each delivery's hook" : "This delivery's hook"}</option>
              {hooks.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.event} · {one.environment} · {one.url}
                </option>
              ))}
            </SelectField>
          )}
          {handler === null && (
            <SelectField
              label="Signed URL"
              value={over}
              onChange={(value) => {
                onChange({ signedUrl: value === 'registered' ? '' : value === 'target' ? target.trim() : 'https://' })
              }}
            >
              <option value="registered">Registered URL</option>
              {target.trim() !== '' && <option value="target">URL it is sent to</option>}
              <option value="other">Custom URL…</option>
            </SelectField>
          )}
          {handler === null && over === 'other' && (
            <TextField
              label="Custom signed URL"
              value={signedUrl}
              onChange={(value) => {
                onChange({ signedUrl: value })
              }}
              hint="Exactly as the endpoint knows it"
            />
          )}
          <SelectField
            label="Tamper"
            value={tamper ?? ''}
            onChange={(value) => {
              onChange({ tamper: tamperSchema.options.find((one) => one === value) ?? null })
            }}
          >
            <option value="">None</option>
            {tamperSchema.options.map((one) => (
              <option key={one} value={one}>
                {tamperWords[one]}
              </option>
            ))}
          </SelectField>
        </>
      )}
    </div>
  )
}

/** The signed URL for several deliveries, in words. */
function overWords({ signedUrl, tamper }: Draft): string {
  if (signedUrl !== '') return signedUrlOf(signedUrl, tamper)
  return tamper === 'url' ? 'its registered URL with other=1 added to the query' : 'its registered URL'
}

function wrongWords(tamper: Tamper | null): string {
  if (tamper === null) return ''
  return tamper === 'url' ? ' Deliberately a different URL than below.' : ' Then tampered with as chosen below.'
}

type SigningWordsProps = Pick<SigningFieldsProps, 'draft' | 'hook' | 'handler' | 'several' | 'bodyChanged'>

function SigningWords({ draft, hook, handler, several, bodyChanged }: SigningWordsProps) {
  if (draft.signature === 'keep') {
    return bodyChanged
      ? 'Signature of the captured body, not this one. A verifying handler rejects it.'
      : 'As old as the delivery. A handler that checks the timestamp rejects it.'
  }
  if (draft.signature === 'drop') return 'No signature. A verifying handler rejects it.'
  if (handler?.hasSecret === true) return `Signed with the secret of ${handlerRef(handler)}.${wrongWords(draft.tamper)}`
  if (hook === null) {
    return several
      ? `Signed with each hook's secret over ${overWords(draft)}.`
      : 'No hook for this delivery. Choose a secret, keep the captured signature, or omit it.'
  }
  return (
    <>
      Signed with the {hook.event} hook's secret in {hook.environment}, over{' '}
      <span className="data">
        <ExactText
          text={signedUrlOf(draft.signedUrl === '' ? (handler?.registeredUrl ?? hook.url) : draft.signedUrl, draft.tamper)}
        />
      </span>
      .{wrongWords(draft.tamper)}
    </>
  )
}
