/** An export of deliveries: of which, how far it is, and the file that it becomes. It goes on while its dialog is hidden. */
import type { StateCreator } from 'zustand/vanilla'
import type { ExportFormat } from '../../../shared/contract/nouns/exchange.ts'
import { deliveryCount } from '../../../shared/delivery-count.ts'
import { exportPages, type ExportProgress } from '../../../shared/exchange/export-pages.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import { saveBlob } from '../../ui/save.ts'

/** What is exported: deliveries that were chosen, else what a search finds. */
export interface ExportSubject {
  readonly query: string
  readonly ids: readonly string[] | null
}

export interface ExchangeSlice {
  readonly exportSubject: ExportSubject | null
  /** Null while none runs. */
  readonly exportProgress: ExportProgress | null
  /** Why the last one failed; null where it did not. */
  readonly exportProblem: string | null
  /** Opens the dialog; the export that runs is shown where there is one. */
  openExport(subject: ExportSubject): void
  startExport(format: ExportFormat, includeSecrets: boolean): Promise<void>
  cancelExport(): void
}

const endings: Readonly<Record<ExportFormat, string>> = { jsonl: 'jsonl', har: 'har', curl: 'sh' }

export function createExchangeSlice({
  client,
  notify,
}: SliceContext): StateCreator<ExchangeSlice & NavigationSlice, [], [], ExchangeSlice> {
  return (set, get) => {
    let running: AbortController | null = null
    const end = (problem: string | null) => {
      running = null
      set({ exportProgress: null, exportProblem: problem })
    }
    return {
      exportSubject: null,
      exportProgress: null,
      exportProblem: null,
      openExport(subject) {
        if (running === null) set({ exportSubject: subject, exportProblem: null })
        get().openOverlay('export')
      },
      async startExport(format, includeSecrets) {
        const subject = get().exportSubject
        if (subject === null || running !== null) return
        const stopping = new AbortController()
        running = stopping
        set({ exportProgress: { done: 0, total: subject.ids?.length ?? 0 }, exportProblem: null })
        try {
          // Parts of a file that the browser keeps where it likes: a large one would not fit into one text.
          const parts: Blob[] = []
          let count = 0
          for await (const { text, done, total } of exportPages(
            client,
            { ...subject, format, includeSecrets },
            stopping.signal,
          )) {
            parts.push(new Blob([text]))
            count = done
            set({ exportProgress: { done, total } })
          }
          saveBlob(new Blob(parts), `deliveries.${endings[format]}`)
          end(null)
          notify({ tone: 'ok', title: `Exported ${deliveryCount(count)}` })
          if (get().overlay === 'export') get().closeOverlay()
        } catch (error) {
          if (stopping.signal.aborted) {
            end(null)
            return
          }
          end(`${sentenceOf(error)} No file was written. Export again.`)
          if (get().overlay !== 'export') notify({ tone: 'bad', title: 'The export has failed', message: sentenceOf(error) })
        }
      },
      cancelExport() {
        running?.abort()
      },
    }
  }
}
