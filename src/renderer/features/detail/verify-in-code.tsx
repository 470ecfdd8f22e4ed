/** A program that verifies a delivery in the developer's language. */
import { useMemo } from 'react'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { inlineBody, LONGEST_INLINE_BODY, type Vector } from '../../../shared/snippets/snippet.ts'
import { ProgramView } from '../../connected/program-view.tsx'
import type { DeliveryView } from './use-delivery.ts'

export function VerifyInCode({
  shown,
  signature,
}: {
  readonly shown: DeliveryView
  readonly signature: SignatureReport
}) {
  const { url, timestamp, received, secretHint } = signature
  const { body, delivery } = shown
  const isInline = body.size <= LONGEST_INLINE_BODY && body.bytes.length === body.size
  const vector = useMemo((): Vector | null => {
    if (url === null || timestamp === null || received === null) return null
    const bodyBase64 = isInline ? inlineBody(body.bytes) : null
    return { bodyBase64, url, timestamp, signature: received }
  }, [url, timestamp, received, isInline, body.bytes])

  if (vector === null)
    return (
      <p className="text-muted">
        Needs a signature, a timestamp and a URL. This delivery lacks one of them.
      </p>
    )
  return (
    <ProgramView vector={vector}>
      {secretHint === null ? '' : `, using the hook's secret (${secretHint})`}. It prints "valid" or
      "not valid".
      {!isInline && (
        <>
          {' '}
          The body is too long to include. Save it first:{' '}
          <span className="data text-text">countersign show {delivery.id} --body &gt; body</span>
        </>
      )}
    </ProgramView>
  )
}
