/** Banners above the window about its stored deliveries. */
import { X } from 'lucide-react'
import { suggestsLimit } from '../../shared/model/retention.ts'
import { useApp, useAppParts } from '../ui-state/use-app.ts'
import { Banner } from '../ui/message.tsx'
import { byteSize } from '../ui/moment.ts'
import { Button, IconButton } from '../ui/button.tsx'

/** Warns that some pages of the database are damaged; the rest of the window still works. */
export function DamageBanner() {
  const store = useApp((state) => state.core.status?.store)
  if (store?.state !== 'damaged') return null
  return (
    <Banner tone="bad" title="Some data can't be read.">
      {store.problem}
    </Banner>
  )
}

/** Suggests a retention limit if much is stored without one, until dismissed. */
export function LimitSuggestion() {
  const { store, settings, change, go } = useAppParts((state) => ({
    store: state.core.status?.store,
    settings: state.core.settings,
    change: state.settings.change,
    go: state.navigation.go,
  }))
  if (store === undefined || settings.window.limitDismissed === true) return null
  if (!suggestsLimit(store, settings.retention)) return null
  const dismiss = () => void change({ window: { limitDismissed: true } })
  return (
    <Banner
      tone="warn"
      title="All deliveries are kept."
      action={
        <>
          <Button
            onClick={() => {
              dismiss()
              go('settings', { section: 'retention' })
            }}
          >
            Set a limit
          </Button>
          <IconButton icon={X} label="Dismiss" onClick={dismiss} />
        </>
      }
    >
      {store.deliveries.toLocaleString('en')} use {byteSize(store.bytes)}. A limit deletes old ones
      automatically.
    </Banner>
  )
}
