/** Opens a flow from a file, and lists the file's errors with their positions. */
import { FileJson } from 'lucide-react'
import { useRef } from 'react'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import type { FlowFileProblem } from './flows-slice.ts'
import { canPick, ofFile, pickFile } from './own-file.ts'

export function FlowFileButton() {
  const { openFile, chooseOnDesktop } = useAppParts((state) => ({
    openFile: state.flows.openFile,
    chooseOnDesktop: state.flows.chooseOnDesktop,
  }))
  const input = useRef<HTMLInputElement>(null)
  const choose = () => {
    if (chooseOnDesktop !== null) chooseOnDesktop()
    else if (canPick(window)) void openFile(pickFile(window))
    else input.current?.click()
  }
  return (
    <>
      <Button icon={<FileJson size={14} aria-hidden />} title="Or drop a file here" onClick={choose}>
        Open file…
      </Button>
      <FileInput ref={input} label="Flow file" accept=".json,application/json" onFile={(file) => void openFile(ofFile(file))} />
    </>
  )
}

export function FlowFileTroubles({ problem: { file, message, problems, isOpen } }: { readonly problem: FlowFileProblem }) {
  return (
    <div role="alert" className="max-h-[40%] shrink-0 overflow-auto border-b border-line bg-bad-wash px-4 py-3">
      <p className="font-medium">
        {isOpen ? `${file} has errors. Showing the last valid version.` : `${file} isn't a valid flow.`}
      </p>
      {problems.length === 0 && (
        <p className="mt-0.5 wrap-anywhere text-bad">
          <QuotedText text={message} />
        </p>
      )}
      <ul>
        {problems.map((one) => (
          <li key={`${one.line}:${one.column} ${one.path} ${one.message}`} className="mt-1 flex gap-3 wrap-anywhere">
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
