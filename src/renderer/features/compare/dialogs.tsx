/** The dialogs of the comparison. */
import type { ComparedSides } from './use-sides.ts'
import { ChooseSideDialog } from './choose-side-dialog.tsx'
import { IgnoredFieldsDialog } from './ignored-fields-dialog.tsx'
import { CompareExportDialog } from './compare-export-dialog.tsx'

export function CompareDialogs({ sides }: { readonly sides: ComparedSides }) {
  return (
    <>
      <ChooseSideDialog sides={sides} />
      <IgnoredFieldsDialog {...sides} />
      <CompareExportDialog {...sides} />
    </>
  )
}
