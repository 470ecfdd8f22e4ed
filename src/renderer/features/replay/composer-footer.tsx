/** The footer of the composer: commands to copy, pace, and sending. */
import type { ComposerState } from './use-composer.ts'
import { Send } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { controlStyle } from '../../ui/field.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import type { Captured } from './draft.ts'
import { commandOf } from './draft-commands.ts'
import { CurlCopy } from './curl-copy.tsx'

export function ComposerFooter({
  captured,
  composer,
  onDone,
}: {
  readonly captured: Captured | null
  readonly composer: ComposerState
  readonly onDone: () => void
}) {
  const { draft, request, hookId, pace, ready, busy, sentJob, handler, send } = composer
  const command =
    captured === null ? null : commandOf(draft, captured.original, captured.delivery.id)
  return (
    <footer className="flex min-h-13 shrink-0 flex-wrap items-center gap-x-3.5 gap-y-2 border-t border-line px-5 py-2">
      {captured !== null && draft.tamper === null && (
        <CurlCopy input={{ ...request, id: captured.delivery.id }} draft={draft} hookId={hookId} />
      )}
      {command !== null && (
        <CopyButton
          text={command}
          label="Copy command (countersign replay)"
          caption="Copy command"
        />
      )}
      <span className="flex-1" />
      <PaceField composer={composer} name="repeat" label="Repeat" />
      <PaceField
        composer={composer}
        name="concurrency"
        label="Concurrency"
        hint="Concurrency 1 preserves order"
      />
      <PaceField composer={composer} name="rate" label="Max per second" placeholder="No limit" />
      {pace === null && (
        <p className="text-small text-bad" role="alert">
          Max 1,000 repeats, 64 concurrent, 100,000 per second
        </p>
      )}
      <span className="ml-auto flex items-center gap-3">
        <Button onClick={onDone}>Close</Button>
        <Button kind="primary" icon={Send} disabled={!ready} onClick={() => void send()}>
          {busy
            ? 'Sending…'
            : `${sentJob === null ? 'Send' : 'Send again'}${handler === null ? '' : ` to ${handlerRef(handler)}`}`}
          <ActionKeys action="composer-send" />
        </Button>
      </span>
    </footer>
  )
}

function PaceField({
  composer: { draft, pace, change },
  name,
  label,
  hint,
  placeholder,
}: {
  readonly composer: ComposerState
  readonly name: 'repeat' | 'concurrency' | 'rate'
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
}) {
  return (
    <label className="flex items-center gap-2 text-small whitespace-nowrap text-muted" title={hint}>
      {label}
      <input
        inputMode="decimal"
        autoComplete="off"
        value={draft[name]}
        placeholder={placeholder}
        aria-invalid={pace === null}
        onChange={(event) => change({ [name]: event.currentTarget.value })}
        className={classNames(controlStyle, 'data', name === 'rate' ? 'max-w-22' : 'max-w-12')}
      />
    </label>
  )
}
