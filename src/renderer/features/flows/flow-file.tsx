/**
 * A flow file: picked or dropped, watched for changes where the browser allows it, and its errors
 * with their positions.
 */
import { FileJson } from 'lucide-react'
import {
  browserFile,
  type FileHandle,
  fileOfHandle,
  type UserFile,
} from '../../ui-state/user-file.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { FileButton } from '../../connected/file-input.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import type { FlowFileProblem } from './flow-file-problem.ts'

function isHandle(value: unknown): value is FileHandle {
  return (
    typeof value === 'object' &&
    value !== null &&
    'getFile' in value &&
    typeof value.getFile === 'function'
  )
}

interface Picker {
  showOpenFilePicker(options: object): Promise<readonly FileHandle[]>
}

function canPick(host: object): host is Picker {
  return 'showOpenFilePicker' in host
}

async function pickFile(host: Picker): Promise<UserFile | null> {
  const types = [{ description: 'A flow', accept: { 'application/json': ['.json'] } }]
  try {
    const [handle] = await host.showOpenFilePicker({ types })
    return handle === undefined ? null : await fileOfHandle(handle)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  }
}

/** Returns the dropped file, or null. Call it during the drop event. */
export async function droppedFile(data: DataTransfer): Promise<UserFile | null> {
  const item = [...data.items].find(({ kind }) => kind === 'file')
  const file = item?.getAsFile() ?? null
  if (item === undefined || file === null) return null
  const asks =
    'getAsFileSystemHandle' in item ? (item.getAsFileSystemHandle as () => Promise<unknown>) : null
  const handle = asks === null ? null : await asks.call(item).catch(() => null)
  return isHandle(handle) ? fileOfHandle(handle) : browserFile(file)
}

export function FlowFileButton() {
  const openFile = useApp((state) => state.flows.openFile)
  const browser: object = window
  return (
    <FileButton
      file="flow"
      label="Flow file"
      icon={FileJson}
      title="Or drop a file here"
      pick={canPick(browser) ? () => void openFile(pickFile(browser)) : undefined}
      onFile={(file) => void openFile(file)}
    >
      <span className="@max-[760px]:sr-only">Open file…</span>
    </FileButton>
  )
}

export function FlowFileErrors({
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
