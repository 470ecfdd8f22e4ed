/** The secret of a hook. */
import { useEffect, useState } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { visibleText } from '../../ui/visible-text.ts'

const SHOWN_FOR_MS = 10_000

/**
 * Shows the secret's last characters. The full secret is shown on demand and hidden after ten
 * seconds.
 */
export function HookSecret({ hook }: { readonly hook: Hook }) {
  const revealSecret = useApp((state) => state.hooks.revealSecret)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const [secret, setSecret] = useState<string | null>(null)
  useEffect(() => {
    if (secret === null) return
    const timer = setTimeout(() => setSecret(null), SHOWN_FOR_MS)
    return () => clearTimeout(timer)
  }, [secret])
  const { event, secretHint } = hook
  const small = { kind: 'quiet', className: 'h-6 px-1.5 text-small' } as const
  return (
    <span className="flex flex-wrap items-center gap-1">
      {secretHint === null ? (
        <span className="text-muted">Not available</span>
      ) : (
        <>
          <span
            className="data min-w-0 wrap-anywhere"
            title={secret === null ? 'Last characters' : undefined}
          >
            {visibleText(secret ?? secretHint)}
          </span>
          <CopyButton
            text={() => revealSecret(hook.id)}
            label={`Copy the secret of ${visibleText(event)}`}
          />
          <Button
            {...small}
            aria-label={`${secret === null ? 'Show' : 'Hide'} the secret of ${visibleText(event)}`}
            onClick={() => {
              if (secret !== null) setSecret(null)
              else void revealSecret(hook.id).then(setSecret)
            }}
          >
            {secret === null ? 'Show' : 'Hide'}
          </Button>
        </>
      )}
      <Button {...small} onClick={() => openOverlay('rotate-secret')}>
        {secretHint === null ? 'Add secret…' : 'Rotate…'}
      </Button>
    </span>
  )
}
