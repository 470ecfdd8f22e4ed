/** A flow of one's own, from its file; where it breaks the rules, every problem with its place. */
import { FileJson } from 'lucide-react'
import { useRef } from 'react'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import type { FlowFileProblem } from './flows-slice.ts'

export function FlowFileButton() {
  const openFlow = useAppParts((state) => ({ openFlow: state.openFlow })).openFlow
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        icon={<FileJson size={14} aria-hidden />}
        onClick={() => {
          input.current?.click()
        }}
      >
        Open a file…
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label="File of a flow"
        tabIndex={-1}
        className="hidden"
        onChange={(event) => {
          const field = event.currentTarget
          const file = field.files?.[0]
          if (file === undefined) return
          void file.text().then((text) => {
            // The same file can be chosen again once it was mended.
            field.value = ''
            return openFlow({ source: { text, file: file.name } })
          })
        }}
      />
    </>
  )
}

export function FlowFileTroubles({ problem: { file, message, problems } }: { readonly problem: FlowFileProblem }) {
  return (
    <div role="alert" className="border-b border-line bg-bad-wash px-4 py-3">
      <p className="font-medium">{`${file} is no flow yet.`}</p>
      {problems.length === 0 && (
        <p className="mt-0.5 wrap-anywhere text-bad">
          <QuotedText text={message} />
        </p>
      )}
      <ul>
        {problems.map((one) => (
          <li key={`${one.line}:${one.column} ${one.path} ${one.message}`} className="mt-1 flex gap-3 wrap-anywhere">
            <span className="data w-24 shrink-0 text-muted">{`line ${one.line}, ${one.column}`}</span>
            <span className="min-w-0">
              {one.path !== '' && <span className="data text-muted">{one.path}: </span>}
              <QuotedText text={one.message} /> <QuotedText text={one.fix} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
