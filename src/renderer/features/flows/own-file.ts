/** A flow file, picked or dropped. With a file handle the file can be reloaded on change; otherwise it must be chosen again. */
import { browserFile, type FileHandle, handleFile, type UserFile } from '../../state/user-file.ts'

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

export function canPick(host: object): host is Picker {
  return 'showOpenFilePicker' in host
}

/** Asks for a file; null if none was chosen. */
export async function pickFile(host: Picker): Promise<UserFile | null> {
  const types = [{ description: 'A flow', accept: { 'application/json': ['.json'] } }]
  try {
    const [handle] = await host.showOpenFilePicker({ types })
    return handle === undefined ? null : await handleFile(handle)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  }
}

/** The dropped file, or null. Call it during the drop event. */
export async function droppedFile(data: DataTransfer): Promise<UserFile | null> {
  const item = [...data.items].find(({ kind }) => kind === 'file')
  const file = item?.getAsFile() ?? null
  if (item === undefined || file === null) return null
  const asks =
    'getAsFileSystemHandle' in item ? (item.getAsFileSystemHandle as () => Promise<unknown>) : null
  const handle = asks === null ? null : await asks.call(item).catch(() => null)
  return isHandle(handle) ? handleFile(handle) : browserFile(file)
}

const LOOK_MS = 1_000

/** Calls back after each change of the file, until stopped. */
export function watchFile(file: UserFile, onChanged: () => void): () => void {
  const { changedAt } = file
  if (changedAt === null) return () => undefined
  let known: number | null = null
  let isLooking = false
  let isStopped = false
  const look = async () => {
    const at = await changedAt()
    if (isStopped) return
    if (known !== null && at !== known) onChanged()
    known = at
  }
  const lookOnce = () => {
    if (isLooking) return
    isLooking = true
    look()
      // Editors replace a file when saving, so it may be missing for a moment. Look again.
      .catch(() => undefined)
      .finally(() => {
        isLooking = false
      })
  }
  lookOnce()
  const timer = setInterval(lookOnce, LOOK_MS)
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}
