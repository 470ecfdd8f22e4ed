/** Copying the composer's request as a command: curl, which signs when run, or `countersign`. */
import { Check, ChevronDown, Copy } from 'lucide-react'
import { useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { useData } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy.tsx'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import type { Captured, Draft } from './draft.ts'
import { CURL_HINT, commandOf, curlOf } from './draft-commands.ts'
import { isTimestamp } from './headers-editor.tsx'

export function CopyMenu({
  request,
  draft,
  captured: { delivery, original },
  hookId,
}: {
  readonly request: Omit<InputOf<'replay.preview'>, 'id'>
  readonly draft: Draft
  readonly captured: Captured
  readonly hookId: string | null
}) {
  const { client } = useData()
  const revealSecret = useApp((state) => state.hooks.revealSecret)
  const { environments, status } = useParts('core', 'environments', 'status')
  const [isCopied, setCopied] = useState(false)
  const command = commandOf(draft, original, delivery.id)
  const signs = draft.signature === 'recompute'
  const curl = async (revealedHook: string | null) => {
    const [preview, secret] = await Promise.all([
      client.call('replay.preview', { ...request, id: delivery.id }),
      revealedHook === null ? null : revealSecret(revealedHook),
    ])
    const stamp = preview.headers.find(([name]) => isTimestamp(name, environments))?.[1]
    const timestamp = draft.timestamp === 'now' ? null : (stamp ?? null)
    return curlOf(preview, { state: { environments, status }, timestamp, secret })
  }
  const copy = async (text: string | Promise<string>) => {
    try {
      setCopied(await copyText(await text))
      setTimeout(() => setCopied(false), 1_500)
    } catch {
      // The preview says why.
    }
  }
  if (draft.tamper !== null && command === null) return null
  return (
    <ButtonMenu
      align="start"
      trigger={
        <Button kind="quiet" className="first:-ml-2.5" icon={isCopied ? Check : Copy}>
          {isCopied ? 'Copied' : 'Copy as…'}
          <ChevronDown size={13} />
        </Button>
      }
    >
      {draft.tamper === null && (
        <MenuItem title={signs ? CURL_HINT : ''} onClick={() => void copy(curl(null))}>
          cURL{signs && ' (re-signed)'}
        </MenuItem>
      )}
      {draft.tamper === null && signs && hookId !== null && (
        <MenuItem onClick={() => void copy(curl(hookId))}>cURL with the secret</MenuItem>
      )}
      {command !== null && (
        <MenuItem onClick={() => void copy(command)}>countersign replay</MenuItem>
      )}
    </ButtonMenu>
  )
}
