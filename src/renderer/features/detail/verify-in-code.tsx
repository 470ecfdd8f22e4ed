/** A program that verifies a delivery in the developer's language. */
import { useMemo } from 'react'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { snippetLanguages } from '../../../shared/snippets/languages.ts'
import {
  inlineBody,
  LONGEST_INLINE_BODY,
  snippetOf,
  SECRET_VARIABLE,
} from '../../../shared/snippets/snippet.ts'
import { useParts } from '../../ui-state/use-app.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Segments } from '../../ui/segments.tsx'
import type { DeliveryView } from './use-delivery.ts'

export function VerifyInCode({
  shown,
  signature,
}: {
  readonly shown: DeliveryView
  readonly signature: SignatureReport
}) {
  const { url, timestamp, received, secretHint } = signature
  const { snippetLanguage, display } = useParts('detail', 'snippetLanguage', 'display')
  const language = snippetLanguages.find(({ id }) => id === snippetLanguage) ?? snippetLanguages[0]
  const { body, delivery } = shown
  const isInline = body.size <= LONGEST_INLINE_BODY && body.bytes.length === body.size
  const program = useMemo(() => {
    if (language === undefined || url === null || timestamp === null || received === null)
      return null
    const bodyBase64 = isInline ? inlineBody(body.bytes) : null
    return snippetOf(language, { bodyBase64, url, timestamp, signature: received })
  }, [language, url, timestamp, received, isInline, body.bytes])

  if (program === null || language === undefined)
    return (
      <p className="text-muted">
        Needs a signature, a timestamp and a URL. This delivery lacks one of them.
      </p>
    )
  const run = `${SECRET_VARIABLE}=… ${language.run}${isInline ? '' : ' body'}`
  return (
    <div className="flex flex-col gap-2.5">
      <div className="-my-1 overflow-x-auto py-1">
        <Segments
          label="Language"
          options={snippetLanguages.map(({ id, name }) => ({ value: id, label: name }))}
          value={language.id}
          onChange={(chosen) => display({ snippetLanguage: chosen })}
        />
      </div>
      <div className="overflow-hidden rounded-control border border-line">
        <div className="flex items-center gap-2 border-b border-line bg-raised py-1 pr-1 pl-3 text-small text-muted">
          <span className="data min-w-0 flex-1 truncate">{language.file}</span>
          <CopyButton text={program} label="Copy program" caption="Copy" />
        </div>
        <pre
          tabIndex={0}
          aria-label={`Program in ${language.name}`}
          className="data max-h-[420px] overflow-auto bg-ground px-3 py-2 leading-[18px] outline-offset-[-2px] select-text [tab-size:4]"
        >
          {program}
        </pre>
      </div>
      <p className="text-small text-muted">
        Run it with <span className="data text-text">{run}</span>
        {secretHint === null ? '' : `, using the hook's secret (${secretHint})`}. It prints "valid"
        or "not valid".
        {!isInline && (
          <>
            {' '}
            The body is too long to include. Save it first:{' '}
            <span className="data text-text">countersign show {delivery.id} --body &gt; body</span>
          </>
        )}
      </p>
    </div>
  )
}
