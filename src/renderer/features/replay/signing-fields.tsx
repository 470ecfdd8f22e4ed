/** How a replay proves itself: signature, time, whose secret, over which URL, and what is to be wrong on purpose. All in words. */
import type { Hook } from '../../../shared/model/hook.ts'
import type { SignatureMode, TimestampMode } from '../../../shared/model/replay-edits.ts'
import { tamperSchema, type Tamper } from '../../../shared/model/send.ts'
import { signedUrlOf } from '../../../shared/service/signed-url.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import type { Draft } from './draft.ts'

const tamperWords: Readonly<Record<Tamper, string>> = {
  body: 'The body is changed after signing',
  secret: 'Signed with another secret',
  stale: 'Ten minutes old',
  future: 'Ten minutes ahead',
  'single-pass': 'Hashed once, not twice',
  'no-signature': 'No signature header',
  'no-timestamp': 'No timestamp header',
  url: 'Signed over another URL',
}

export interface SigningFieldsProps {
  readonly draft: Draft
  readonly onChange: (part: Partial<Draft>) => void
  readonly hooks: readonly Hook[]
  /** Whose secret signs, where that is known. */
  readonly hook: Hook | null
  /** Several deliveries, each with its own hook. */
  readonly several: boolean
  readonly bodyChanged: boolean
}

export function SigningFields({ draft, onChange, hooks, hook, several, bodyChanged }: SigningFieldsProps) {
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
        <option value="recompute">Made anew when it is sent</option>
        <option value="keep">Kept as it stands in the headers</option>
        <option value="drop">Left out</option>
      </SelectField>
      <p className="-mt-1.5 text-small wrap-anywhere text-muted" data-signing>
        <SigningWords draft={draft} hook={hook} several={several} bodyChanged={bodyChanged} />
      </p>
      {signature !== 'keep' && (
        <SelectField
          label="Timestamp"
          value={timestamp}
          onChange={(value) => {
            onChange({ timestamp: value as TimestampMode })
          }}
        >
          <option value="now">The moment when it is sent</option>
          <option value="original">As it stands in the headers</option>
        </SelectField>
      )}
      {isAnew && (
        <>
          <SelectField
            label="Signed with the secret of"
            value={hookId}
            onChange={(value) => {
              onChange({ hookId: value })
            }}
          >
            <option value="">{several ? 'each delivery’s own hook' : 'its own hook'}</option>
            {hooks.map((one) => (
              <option key={one.id} value={one.id}>
                {one.event} · {one.environment} · {one.url}
              </option>
            ))}
          </SelectField>
          <SelectField
            label="Signed over"
            value={over}
            onChange={(value) => {
              onChange({ signedUrl: value === 'registered' ? '' : value === 'target' ? target.trim() : 'https://' })
            }}
          >
            <option value="registered">the registered URL, wherever it goes</option>
            {target.trim() !== '' && <option value="target">the address that it is sent to</option>}
            <option value="other">another URL…</option>
          </SelectField>
          {over === 'other' && (
            <TextField
              label="The URL that is signed"
              value={signedUrl}
              onChange={(value) => {
                onChange({ signedUrl: value })
              }}
              hint="Character for character, as the endpoint knows it."
            />
          )}
          <SelectField
            label="Wrong on purpose"
            value={tamper ?? ''}
            onChange={(value) => {
              onChange({ tamper: tamperSchema.options.find((one) => one === value) ?? null })
            }}
          >
            <option value="">nothing</option>
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

/** Of several deliveries: what each is signed over. */
function overWords({ signedUrl, tamper }: Draft): string {
  if (signedUrl !== '') return signedUrlOf(signedUrl, tamper)
  return tamper === 'url' ? 'its registered URL with other=1 added to the query' : 'its registered URL'
}

function wrongWords(tamper: Tamper | null): string {
  if (tamper === null) return ''
  return tamper === 'url' ? ' That is another URL than the one below, on purpose.' : ' Then it is made wrong as chosen below.'
}

type SigningWordsProps = Pick<SigningFieldsProps, 'draft' | 'hook' | 'several' | 'bodyChanged'>

function SigningWords({ draft, hook, several, bodyChanged }: SigningWordsProps) {
  if (draft.signature === 'keep') {
    return bodyChanged
      ? 'It proves the captured body, not the one that is sent now: a handler that checks refuses it.'
      : 'It is as old as the delivery: a handler that checks the time refuses it.'
  }
  if (draft.signature === 'drop') return 'Nothing proves it: a handler that checks refuses it.'
  if (hook === null) {
    return several
      ? `Each with the secret of its hook, over ${overWords(draft)}.`
      : 'It belongs to no hook: choose whose secret signs it, keep the signature it has, or leave it out.'
  }
  return (
    <>
      With the secret of the hook for {hook.event} in {hook.environment}, over{' '}
      <span className="data">
        <ExactText text={signedUrlOf(draft.signedUrl === '' ? hook.url : draft.signedUrl, draft.tamper)} />
      </span>
      .{wrongWords(draft.tamper)}
    </>
  )
}
