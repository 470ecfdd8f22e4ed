/**
 * A flow's file of one's own, as the window gets it: chosen, or dropped. Where the browser gives a handle of the file, it can be read
 * again whenever it has changed; where it gives only what was in it, it has to be chosen again.
 */
import { AppError } from '../../../shared/contract/errors.ts'
import { FLOW_FILE_BYTES } from '../../../shared/model/flow.ts'

export interface OwnFile {
  readonly name: string
  read(): Promise<string>
  /** When it was last changed, in milliseconds; null where nobody can tell. */
  changedAt: (() => Promise<number>) | null
}

/** What of a file's handle is used; not every browser has them. */
export interface FileHandle {
  getFile(): Promise<File>
}

function isHandle(value: unknown): value is FileHandle {
  return typeof value === 'object' && value !== null && 'getFile' in value && typeof value.getFile === 'function'
}

/** The text of a file. Rejects with `INVALID_FLOW` if it is too large for a flow. */
function textOf(file: File): Promise<string> {
  if (file.size <= FLOW_FILE_BYTES) return file.text()
  return Promise.reject(new AppError('INVALID_FLOW', `${file.name} is larger than 1 MiB. Split the flow into smaller files.`))
}

function ofHandle(handle: FileHandle, name: string): OwnFile {
  return {
    name,
    read: async () => textOf(await handle.getFile()),
    changedAt: async () => (await handle.getFile()).lastModified,
  }
}

export function ofFile(file: File): OwnFile {
  return { name: file.name, read: () => textOf(file), changedAt: null }
}

interface Picker {
  showOpenFilePicker(options: object): Promise<readonly FileHandle[]>
}

export function canPick(host: object): host is Picker {
  return 'showOpenFilePicker' in host
}

/** Asks for a file; null where none was chosen. */
export async function pickFile(host: Picker): Promise<OwnFile | null> {
  const types = [{ description: 'A flow', accept: { 'application/json': ['.json'] } }]
  try {
    const [handle] = await host.showOpenFilePicker({ types })
    return handle === undefined ? null : ofHandle(handle, (await handle.getFile()).name)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null
    throw error
  }
}

/** What was dropped; null where it is no file. To be called while the event goes on. */
export async function droppedFile(data: DataTransfer): Promise<OwnFile | null> {
  const item = [...data.items].find(({ kind }) => kind === 'file')
  const file = item?.getAsFile() ?? null
  if (item === undefined || file === null) return null
  const asks = 'getAsFileSystemHandle' in item ? (item.getAsFileSystemHandle as () => Promise<unknown>) : null
  const handle = asks === null ? null : await asks.call(item).catch(() => null)
  return isHandle(handle) ? ofHandle(handle, file.name) : ofFile(file)
}

const LOOK_MS = 1_000

/** Calls each time that the file has changed, until it is stopped. */
export function watchFile(file: OwnFile, onChanged: () => void): () => void {
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
      // Away for a moment, as editors do when they save: it is looked for again.
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
