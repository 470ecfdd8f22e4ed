/** Copying the composer's request as a curl command. */
import { useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { useData } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { CheckField } from '../../ui/field.tsx'
import type { Draft } from './draft.ts'
import { CURL_HINT, curlOf } from './draft-commands.ts'
import { isTimestamp } from './headers-editor.tsx'

/** Copies the request as a curl command that signs when run. */
export function CurlCopy({
  input,
  draft,
  hookId,
}: {
  readonly input: InputOf<'replay.preview'>
  readonly draft: Draft
  readonly hookId: string | null
}) {
  const { client } = useData()
  const revealSecret = useApp((state) => state.hooks.revealSecret)
  const { environments, status } = useParts('core', 'environments', 'status')
  const [includesSecret, setIncludesSecret] = useState(false)
  const signs = draft.signature === 'recompute'
  const copy = async () => {
    try {
      const [preview, secret] = await Promise.all([
        client.call('replay.preview', input),
        includesSecret && signs && hookId !== null ? revealSecret(hookId) : null,
      ])
      const timestamp =
        draft.timestamp === 'now'
          ? null
          : (preview.headers.find(([name]) => isTimestamp(name, environments))?.[1] ?? null)
      return curlOf(preview, { state: { environments, status }, timestamp, secret })
    } catch {
      return null
    }
  }
  return (
    <span className="flex items-center gap-3">
      <CopyButton text={copy} label="Copy as cURL (re-signed)" caption="Copy as cURL" />
      {signs && (
        <span className="text-small text-muted" title={includesSecret ? '' : CURL_HINT}>
          <CheckField checked={includesSecret} onChange={setIncludesSecret}>
            Include secret
          </CheckField>
        </span>
      )}
    </span>
  )
}
