/** Shows a program that verifies a delivery, in the language chosen last. */
import { useMemo, type ReactNode } from 'react'
import { snippetLanguages } from '../../shared/snippets/languages.ts'
import { SECRET_VARIABLE, snippetOf, type Vector } from '../../shared/snippets/snippet.ts'
import { useParts } from '../ui-state/use-app.ts'
import { CopyButton } from '../ui/copy.tsx'
import { Segments } from '../ui/segments.tsx'

export function ProgramView({
  vector,
  children,
}: {
  readonly vector: Vector
  /** Continues the sentence "Run it with …". */
  readonly children?: ReactNode
}) {
  const { snippetLanguage, display } = useParts('detail', 'snippetLanguage', 'display')
  const language = snippetLanguages.find(({ id }) => id === snippetLanguage) ?? snippetLanguages[0]
  const program = useMemo(
    () => (language === undefined ? '' : snippetOf(language, vector)),
    [language, vector],
  )
  if (language === undefined) return null
  const run = `${SECRET_VARIABLE}=… ${language.run}${vector.bodyBase64 === null ? ' body' : ''}`
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
        {children}
      </p>
    </div>
  )
}
