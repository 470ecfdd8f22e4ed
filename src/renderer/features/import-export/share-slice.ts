/** A shareable capture: its preview comes before anything is written. */
import { sharePages, type ExportProgress } from '../../../shared/import-export/export-pages.ts'
import type { SharingReport } from '../../../shared/model/sharing.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import { sentenceOf } from '../../core-data/act.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { saveBlob } from '../../ui/save-file.ts'
import type { ExportSubject } from './export-slice.ts'

export interface ShareOptions {
  readonly keep: readonly string[]
  readonly replace: readonly string[]
  readonly shiftMs: number
}

interface ShareState {
  readonly subject: ExportSubject | null
  /** Progress of the running preview or capture; null without one. */
  readonly progress: ExportProgress | null
  /** Values that the capture will have replaced, and its options. */
  readonly preview: {
    readonly shared: number
    readonly report: SharingReport
    readonly options: ShareOptions
  } | null
  readonly problem: string | null
}

const idle: ShareState = { subject: null, progress: null, preview: null, problem: null }

export function createShareSlice({
  client,
  notify,
  set,
  get,
  app,
}: FeatureTools<ShareState, { readonly navigation: NavigationSlice }>) {
  let running: AbortController | null = null

  /** Makes a capture or its preview; null if it was cancelled or failed. */
  const make = async (options: ShareOptions, preview: boolean) => {
    const { subject } = get()
    if (subject === null || running !== null) return null
    const stopping = new AbortController()
    running = stopping
    set({ progress: { done: 0, total: subject.seqs?.length ?? 0 }, problem: null })
    // The browser keeps the parts, because a large file doesn't fit into a string.
    const parts: Blob[] = []
    let last: Pick<NonNullable<ShareState['preview']>, 'shared' | 'report'> | null = null
    try {
      const request = { ...subject, ...options, preview }
      for await (const page of sharePages(client, request, stopping.signal)) {
        parts.push(new Blob([page.text]))
        last = { shared: page.shared, report: page.report }
        set({ progress: { done: page.done, total: page.total } })
      }
      return last === null ? null : { ...last, file: new Blob(parts) }
    } catch (error) {
      if (stopping.signal.aborted) return null
      set({ problem: `${sentenceOf(error)} No file was written.` })
      if (app().navigation.overlay !== 'share')
        notify({ tone: 'bad', title: "Couldn't share", message: sentenceOf(error) })
      return null
    } finally {
      running = null
      set({ progress: null })
    }
  }
  return {
    ...idle,

    /** Opens the dialog, with the running work if there is some. */
    open(subject: ExportSubject) {
      if (running === null) set({ ...idle, subject })
      app().navigation.openOverlay('share')
    },
    async showPreview(options: ShareOptions) {
      const made = await make(options, true)
      if (made !== null) set({ preview: { shared: made.shared, report: made.report, options } })
    },
    back() {
      set({ preview: null })
    },
    async save() {
      const { preview } = get()
      const made = preview === null ? null : await make(preview.options, false)
      if (made === null) return
      saveBlob(made.file, 'shareable-capture.jsonl')
      notify({ tone: 'ok', title: `Shared ${deliveryCount(made.shared)}` })
      if (app().navigation.overlay === 'share') app().navigation.closeOverlay()
    },
    cancel() {
      running?.abort()
    },
  }
}
