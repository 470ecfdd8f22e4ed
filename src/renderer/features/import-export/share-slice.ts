/** A shareable capture: its preview comes before anything is written. */
import { sharePages, type ShareRequest } from '../../../shared/import-export/export-pages.ts'
import type { SharingReport } from '../../../shared/model/sharing.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import {
  createTransfer,
  noTransfer,
  type ExportSubject,
  type TransferContext,
  type TransferState,
} from './transfer.ts'

type ShareOptions = Pick<ShareRequest, 'keep' | 'replace' | 'shiftMs' | 'passphrase'>

interface ShareState extends TransferState {
  /** Options of the last preview. */
  readonly options: ShareOptions
  /** Values that the capture will have replaced; null before the preview. */
  readonly preview: { readonly shared: number; readonly report: SharingReport } | null
}

const idle: ShareState = {
  ...noTransfer,
  options: { keep: [], replace: [], shiftMs: 0, passphrase: null },
  preview: null,
}

export function createShareSlice(tools: FeatureTools<ShareState, TransferContext>) {
  const { client, set, get, app } = tools
  const { isRunning, cancel, collect, save } = createTransfer(tools, 'share')

  const make = async (preview: boolean) => {
    const { subject, options } = get()
    if (subject === null) return null
    const request = { ...subject, ...options, preview }
    return collect(subject, (signal) => sharePages(client, request, signal))
  }
  return {
    ...idle,
    cancel,

    /** Opens the dialog, with the running work if there is some. */
    open(subject: ExportSubject) {
      if (!isRunning()) set({ ...idle, subject })
      app().navigation.openOverlay('share')
    },
    async showPreview(options: ShareOptions) {
      set({ options })
      const made = await make(true)
      if (made !== null) set({ preview: { shared: made.shared, report: made.report } })
    },
    back() {
      set({ preview: null, problem: null })
    },
    async save() {
      const made = await make(false)
      if (made === null) return
      const ending = get().options.passphrase === null ? 'jsonl' : 'age'
      save(made.file, `shareable-capture.${ending}`, `Shared ${deliveryCount(made.shared)}`)
      set({ options: idle.options })
    },
  }
}
