import './without-eval.ts'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { Component, StrictMode, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { followNative } from './app/native-actions.ts'
import { createNotifier, Toasts } from './app/toasts.tsx'
import type { Notice } from './core-data/act.ts'
import { askingClient } from './core-data/asking-client.ts'
import { createData } from './core-data/data.ts'
import { DataContext } from './core-data/use-read.ts'
import { createStore } from './ui-state/store.ts'
import { startSync } from './ui-state/sync.ts'
import { StoreContext } from './ui-state/use-app.ts'
import './styles/index.css'
import { Button } from './ui/button.tsx'
import { chooseHost } from './host/choose-host.ts'
import { pageAddressBar } from './ui-state/address-bar.ts'
import { followAddress } from './ui-state/follow-address.ts'

/** Boundary that shows a rendering error and a reload button; React supports it only as a class. */
class Failure extends Component<
  { readonly children: ReactNode },
  { readonly message: string | null }
> {
  override state = { message: null }

  static getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) }
  }

  override render() {
    if (this.state.message === null) return this.props.children
    return (
      <main className="flex h-full items-start justify-center bg-ground px-6 pt-[18vh]">
        <div className="max-w-[460px]">
          <h1 className="text-display font-medium">Something went wrong</h1>
          <p className="mt-1 text-muted">
            Countersign still captures deliveries; only this window is affected. Error:
          </p>
          <p className="data mt-2 wrap-anywhere text-bad">{this.state.message}</p>
          <Button kind="primary" className="mt-4" onClick={() => location.reload()}>
            Reload window
          </Button>
        </div>
      </main>
    )
  }
}

const host = chooseHost()
const { manager, notify: show } = createNotifier()
const notify = (notice: Notice) => {
  store.getState().failures.recordNotice(notice)
  return show(notice)
}
const client = askingClient(host.client, (question) => store.getState().consent.ask(question))
const data = createData(client, notify)
const store = createStore({ data, capabilities: host.capabilities, notify })
// Before the first message to the core: the host keeps its events until then.
followNative(host.client, store, notify)
startSync({ host, store })
followAddress(store, pageAddressBar(), notify)

if (host.capabilities.insetTitleBar) document.documentElement.dataset['inset'] = 'true'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <Failure>
        <DataContext value={data}>
          <StoreContext value={store}>
            <App />
            <Toasts manager={manager} />
          </StoreContext>
        </DataContext>
      </Failure>
    </CSPProvider>
  </StrictMode>,
)
