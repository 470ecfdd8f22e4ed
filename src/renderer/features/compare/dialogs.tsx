/** The dialogs of the comparison. */
import type { ComparedSides } from './use-sides.ts'
import { ChooseDialog } from './choose-side-dialog.tsx'
import { IgnoredDialog } from './ignored-fields-dialog.tsx'
import { CompareExportDialog } from './compare-export-dialog.tsx'

export function CompareDialogs({ sides }: { readonly sides: ComparedSides }) {
  return (
    <>
      <ChooseDialog sides={sides} />
      <IgnoredDialog {...sides} />
      <CompareExportDialog {...sides} />
    </>
  )
}
