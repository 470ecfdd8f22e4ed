/** Opens a flow from a file, and lists the file's errors with their positions. */
import { FileJson } from 'lucide-react'
import { useApp } from '../../state/use-app.ts'
import { FileButton } from '../../ui/file-input.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import type { FlowFileProblem } from './flows-slice.ts'
import { canPick, pickFile } from './own-file.ts'

export function FlowFileButton() {
  const openFile = useApp((state) => state.flows.openFile)
  const browser: object = window
  return (
    <FileButton
      file="flow"
      label="Flow file"
      icon={<FileJson size={14} aria-hidden />}
      title="Or drop a file here"
      pick={canPick(browser) ? () => void openFile(pickFile(browser)) : undefined}
      onFile={(file) => void openFile(file)}
    >
      Open file…
    </FileButton>
  )
}

export function FlowFileTroubles({
  problem: { file, message, problems, isOpen },
}: {
  readonly problem: FlowFileProblem
}) {
  return (
    <div
      role="alert"
      className="max-h-[40%] shrink-0 overflow-auto border-b border-line bg-bad-wash px-4 py-3"
    >
      <p className="font-medium">
        {isOpen
          ? `${file} has errors. Showing the last valid version.`
          : `${file} isn't a valid flow.`}
      </p>
      {problems.length === 0 && (
        <p className="mt-0.5 wrap-anywhere text-bad">
          <QuotedText text={message} />
        </p>
      )}
      <ul>
        {problems.map((one) => (
          <li
            key={`${one.line}:${one.column} ${one.path} ${one.message}`}
            className="mt-1 flex gap-3 wrap-anywhere"
          >
            <span className="data w-28 shrink-0 text-muted">{`line ${one.line}, col ${one.column}`}</span>
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
