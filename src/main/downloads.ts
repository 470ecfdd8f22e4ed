/** Files that the page saves in the system's dialog, without learning their paths. */
import type { DownloadItem, FileFilter, Session } from 'electron'

/** Whether the page made this file. */
export function mayDownload(url: string, pageUrl: string): boolean {
  return url.startsWith(`blob:${pageUrl}`)
}

const typeNames: Readonly<Record<string, string>> = {
  jsonl: 'JSON Lines',
  har: 'HTTP archive',
  sh: 'Shell script',
  json: 'JSON',
  html: 'Web page',
  xml: 'XML',
  txt: 'Text',
}

export function saveFilters(name: string): FileFilter[] {
  const extension = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const typeName = typeNames[extension]
  return [
    ...(typeName === undefined ? [] : [{ name: typeName, extensions: [extension] }]),
    { name: 'All files', extensions: ['*'] },
  ]
}

interface DownloadOptions {
  readonly pageUrl: string
  /** Called with the name of a file that couldn't be written. */
  onFailed(name: string): void
  onRefused(url: string): void
}

/** Lets the user save files of the page. */
export function setupDownloads(
  session: Session,
  { pageUrl, onFailed, onRefused }: DownloadOptions,
): void {
  session.on('will-download', (event, item: DownloadItem) => {
    const url = item.getURL()
    if (!mayDownload(url, pageUrl)) {
      event.preventDefault()
      onRefused(url)
      return
    }
    const name = item.getFilename()
    item.setSaveDialogOptions({ title: 'Save', defaultPath: name, filters: saveFilters(name) })
    item.once('done', (_event, state) => {
      if (state === 'interrupted') onFailed(name)
    })
  })
}
