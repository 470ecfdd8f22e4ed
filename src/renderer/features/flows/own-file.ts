/** A flow file, chosen or dropped. With a file handle the file can be reloaded on change; otherwise it must be chosen again. */
import { AppError } from '../../../shared/contract/errors.ts'
import type { OpenedFile } from '../../../shared/contract/native.ts'
import { FLOW_FILE_BYTES } from '../../../shared/model/flow.ts'
import type { Client } from '../../../shared/rpc/client.ts'
import { openedText } from '../../state/opened-file.ts'

export interface OwnFile {
  readonly name: string
  read(): Promise<string>
  /** Time of the last change in milliseconds; null if unknown. */
  changedAt: (() => Promise<number>) | null
}

/** The part of a file handle used here. Not every browser supports it. */
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

/** A file that the user opened through the system, which reloads on change too. */
export function ofOpened(client: Pick<Client, 'callNative'>, file: OpenedFile): OwnFile {
  return {
    name: file.name,
    read: () => openedText(client, file),
    changedAt: async () => (await client.callNative('native.lookAtFile', { handle: file.handle })).changedAt,
  }
}

interface Picker {
  showOpenFilePicker(options: object): Promise<readonly FileHandle[]>
}

export function canPick(host: object): host is Picker {
  return 'showOpenFilePicker' in host
}

/** Asks for a file; null if none was chosen. */
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

/** The dropped file, or null. Call it during the drop event. */
export async function droppedFile(data: DataTransfer): Promise<OwnFile | null> {
  const item = [...data.items].find(({ kind }) => kind === 'file')
  const file = item?.getAsFile() ?? null
  if (item === undefined || file === null) return null
  const asks = 'getAsFileSystemHandle' in item ? (item.getAsFileSystemHandle as () => Promise<unknown>) : null
  const handle = asks === null ? null : await asks.call(item).catch(() => null)
  return isHandle(handle) ? ofHandle(handle, file.name) : ofFile(file)
}

const LOOK_MS = 1_000

/** Calls back after each change of the file, until stopped. */
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
