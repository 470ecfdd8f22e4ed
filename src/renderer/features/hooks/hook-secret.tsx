/** The secret's last characters; the whole only on demand, and hidden again after ten seconds. */
import { useEffect, useState } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { visibleText } from '../../ui/visible-text.ts'

const SHOWN_FOR_MS = 10_000

export function HookSecret({ hook }: { readonly hook: Hook }) {
  const revealSecret = useApp((state) => state.hooks.revealSecret)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const [secret, setSecret] = useState<string | null>(null)
  useEffect(() => {
    if (secret === null) return
    const timer = setTimeout(() => {
      setSecret(null)
    }, SHOWN_FOR_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [secret])
  const rotate = (
    <Button
      kind="quiet"
      className="h-6 px-1.5 text-small"
      onClick={() => {
        openOverlay('rotate-secret')
      }}
    >
      {hook.secretHint === null ? 'Give it…' : 'Rotate…'}
    </Button>
  )
  if (hook.secretHint === null)
    return (
      <span className="flex flex-wrap items-center gap-1">
        <span className="text-muted">None that can be opened here</span>
        {rotate}
      </span>
    )
  return (
    <span className="flex flex-wrap items-center gap-1">
      <span className="data min-w-0 wrap-anywhere" title={secret === null ? 'Its last characters' : undefined}>
        {visibleText(secret ?? hook.secretHint)}
      </span>
      <CopyButton text={() => revealSecret(hook.id)} label={`Copy the secret of ${visibleText(hook.event)}`} />
      <Button
        kind="quiet"
        className="h-6 px-1.5 text-small"
        aria-label={`${secret === null ? 'Show' : 'Hide'} the secret of ${visibleText(hook.event)}`}
        onClick={() => {
          if (secret !== null) setSecret(null)
          else void revealSecret(hook.id).then(setSecret)
        }}
      >
        {secret === null ? 'Show' : 'Hide'}
      </Button>
      {rotate}
    </span>
  )
}
