/** The running part of an export or a capture, which continues while its dialog is hidden. */
import type { ExportProgress } from '../../../shared/import-export/export-pages.ts'
import { sentenceOf } from '../../core-data/act.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { saveBlob } from '../../ui/save-file.ts'

/** Deliveries to export: selected ones, or the matches of a query. */
export interface ExportSubject {
  readonly query: string
  readonly seqs: readonly number[] | null
}

export interface TransferState {
  readonly subject: ExportSubject | null
  /** Progress of the running transfer; null without one. */
  readonly progress: ExportProgress | null
  readonly problem: string | null
}

export interface TransferContext {
  readonly navigation: NavigationSlice
}

export const noTransfer: TransferState = { subject: null, progress: null, problem: null }

type Tools = Pick<FeatureTools<unknown, TransferContext>, 'notify' | 'app'> & {
  readonly set: (change: Partial<TransferState>) => void
}

/** Creates a transfer, one at a time; `overlay` shows its problems. */
export function createTransfer({ notify, set, app }: Tools, overlay: 'export' | 'share') {
  let running: AbortController | null = null
  const isShown = () => app().navigation.overlay === overlay
  return {
    isRunning: () => running !== null,
    cancel() {
      running?.abort()
    },
    /** Returns the last page with the file of all; null if cancelled, failed or another runs. */
    async collect<Page extends ExportProgress & { readonly text: BlobPart }>(
      { seqs }: ExportSubject,
      pages: (signal: AbortSignal) => AsyncIterable<Page>,
    ): Promise<(Page & { readonly file: Blob }) | null> {
      if (running !== null) return null
      const stopping = new AbortController()
      running = stopping
      set({ progress: { done: 0, total: seqs?.length ?? 0 }, problem: null })
      // The browser keeps the parts, because a large file doesn't fit into a string.
      const parts: Blob[] = []
      let last: Page | null = null
      try {
        for await (const page of pages(stopping.signal)) {
          parts.push(new Blob([page.text]))
          last = page
          set({ progress: { done: page.done, total: page.total } })
        }
        return last && { ...last, file: new Blob(parts) }
      } catch (error) {
        if (stopping.signal.aborted) return null
        const again = overlay === 'export' ? 'Export again.' : 'Share again.'
        set({ problem: `${sentenceOf(error)} No file was written. ${again}` })
        if (!isShown())
          notify({ tone: 'bad', title: `Couldn't ${overlay}`, message: sentenceOf(error) })
        return null
      } finally {
        running = null
        set({ progress: null })
      }
    },
    save(file: Blob, name: string, title: string) {
      saveBlob(file, name)
      notify({ tone: 'ok', title })
      if (isShown()) app().navigation.closeOverlay()
    },
  }
}
