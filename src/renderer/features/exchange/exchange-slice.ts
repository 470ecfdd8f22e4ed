/** An export of deliveries: of which, how far it is, and the file that it becomes. It goes on while its dialog is hidden. */
import type { ExportFormat } from '../../../shared/contract/nouns/exchange.ts'
import { deliveryCount } from '../../../shared/delivery-count.ts'
import { exportPages, type ExportProgress } from '../../../shared/exchange/export-pages.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { sentenceOf } from '../../state/slice-context.ts'
import { saveBlob } from '../../ui/save.ts'

/** What is exported: deliveries that were chosen, else what a search finds. */
export interface ExportSubject {
  readonly query: string
  readonly ids: readonly string[] | null
}

export interface ExchangeSlice {
  readonly subject: ExportSubject | null
  /** Null while none runs. */
  readonly progress: ExportProgress | null
  /** Why the last one failed; null where it did not. */
  readonly problem: string | null
  /** Opens the dialog; the export that runs is shown where there is one. */
  open(subject: ExportSubject): void
  start(format: ExportFormat, includeSecrets: boolean): Promise<void>
  cancel(): void
}

const endings: Readonly<Record<ExportFormat, string>> = { jsonl: 'jsonl', har: 'har', curl: 'sh' }

export function createExchangeSlice({
  client,
  notify,
  set,
  get,
  app,
}: FeatureTools<ExchangeSlice, { readonly navigation: NavigationSlice }>): ExchangeSlice {
  let running: AbortController | null = null
  const end = (problem: string | null) => {
    running = null
    set({ progress: null, problem })
  }
  return {
    subject: null,
    progress: null,
    problem: null,
    open(subject) {
      if (running === null) set({ subject, problem: null })
      app().navigation.openOverlay('export')
    },
    async start(format, includeSecrets) {
      const subject = get().subject
      if (subject === null || running !== null) return
      const stopping = new AbortController()
      running = stopping
      set({ progress: { done: 0, total: subject.ids?.length ?? 0 }, problem: null })
      try {
        // Parts of a file that the browser keeps where it likes: a large one would not fit into one text.
        const parts: Blob[] = []
        let count = 0
        for await (const { text, done, total } of exportPages(client, { ...subject, format, includeSecrets }, stopping.signal)) {
          parts.push(new Blob([text]))
          count = done
          set({ progress: { done, total } })
        }
        saveBlob(new Blob(parts), `deliveries.${endings[format]}`)
        end(null)
        notify({ tone: 'ok', title: `Exported ${deliveryCount(count)}` })
        if (app().navigation.overlay === 'export') app().navigation.closeOverlay()
      } catch (error) {
        if (stopping.signal.aborted) {
          end(null)
          return
        }
        end(`${sentenceOf(error)} No file was written. Export again.`)
        if (app().navigation.overlay !== 'export')
          notify({ tone: 'bad', title: 'The export has failed', message: sentenceOf(error) })
      }
    },
    cancel() {
      running?.abort()
    },
  }
}
