/** The footer of the composer: commands to copy, pace, and sending. */
import type { ComposerState } from './use-composer.ts'
import { Send } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ActionKeys } from '../../ui/keys.tsx'
import type { Captured } from './draft.ts'
import { CopyMenu } from './copy-menu.tsx'
import { PaceMenu } from './pace-menu.tsx'

export function ComposerFooter({
  captured,
  composer,
  onDone,
}: {
  readonly captured: Captured | null
  readonly composer: ComposerState
  readonly onDone: () => void
}) {
  const { draft, request, hookId, ready, busy, sentReplay, handler, send } = composer
  const verb = sentReplay === null ? 'Send' : 'Send again'
  return (
    <footer className="flex min-h-13 shrink-0 items-center gap-2 border-t border-line px-5 py-2">
      {captured !== null && (
        <CopyMenu request={request} draft={draft} captured={captured} hookId={hookId} />
      )}
      {!composer.isNew && <PaceMenu composer={composer} />}
      <span className="flex-1" />
      <Button onClick={onDone}>Close</Button>
      <Button
        kind="primary"
        icon={Send}
        className="min-w-0 shrink!"
        disabled={!ready}
        onClick={() => void send()}
      >
        <span className="truncate">
          {busy ? 'Sending…' : `${verb}${handler === null ? '' : ` to ${handlerRef(handler)}`}`}
        </span>
        <ActionKeys action="composer-send" />
      </Button>
    </footer>
  )
}
