/** Entry of the user interface: one host, one store, one tree. */
import './without-eval.ts'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { Failure } from './app/failure.tsx'
import { Toasts, createNotifier } from './app/toasts.tsx'
import { chooseHost } from './host/choose-host.ts'
import { createStore } from './state/store.ts'
import { startSync } from './state/sync.ts'
import { StoreContext } from './state/use-app.ts'
import './styles/index.css'

const host = chooseHost()
const { manager, notify } = createNotifier()
const store = createStore({ client: host.client, capabilities: host.capabilities, notify })
startSync({ host, store, notify })

if (host.capabilities.insetTitleBar) document.documentElement.dataset['inset'] = 'true'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <Failure>
        <StoreContext value={store}>
          <App />
          <Toasts manager={manager} />
        </StoreContext>
      </Failure>
    </CSPProvider>
  </StrictMode>,
)
