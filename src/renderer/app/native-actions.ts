/** Carries out what the user chose in the desktop app's menus, tray and notifications. */
import type { PageAction } from '../../shared/contract/native.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { always, type RunKey } from '../state/commands.ts'
import type { KeyAction } from '../state/key-map.ts'
import type { AppStore } from '../state/store.ts'
import { runAction } from './commands.ts'

/** Actions without a shortcut in the page. */
const others: Readonly<Record<Exclude<PageAction, KeyAction>, RunKey>> = {
  import: always((state) => {
    state.importing.open()
  }),
  export: always((state) => {
    state.exporting.open({ query: state.filter.applied, ids: null })
  }),
  diagnostics: always((state) => state.settings.saveDiagnostics()),
  'go-forward': always((state) => {
    state.forward.show(true)
    state.navigation.go('hooks')
  }),
}

const isOther = (action: PageAction): action is keyof typeof others => Object.hasOwn(others, action)

/** Starts listening to the desktop host. In a browser there is nothing to hear. */
export function followNative(client: Pick<Client, 'onNative'>, store: AppStore): void {
  client.onNative('native.action', ({ action }) => {
    if (isOther(action)) others[action](store)
    else runAction(action, store)
  })
  client.onNative('native.showDelivery', ({ deliveryId }) => {
    const state = store.getState()
    state.navigation.go('deliveries')
    state.detail.open(deliveryId, true)
  })
}
