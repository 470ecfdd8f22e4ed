/** What the Sandbox screen shows, and the selection in it. */
import type {
  SandboxClockState,
  SandboxObject,
  SandboxObjectKind,
} from '../../../shared/model/sandbox.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { CoreSlice } from '../../state/core-slice.ts'
import { isRouted, type NavigationSlice } from '../../state/navigation-slice.ts'
import type { Params, SandboxView } from '../../state/routes.ts'

export type SandboxEnvironment = 'sandbox-test' | 'sandbox-live'

/** The sandbox clock's state at a real time, in milliseconds. */
export interface ClockReading {
  readonly state: SandboxClockState
  readonly readAt: number
}

export interface SandboxSlice {
  readonly view: SandboxView
  readonly environment: SandboxEnvironment
  readonly objectKind: SandboxObjectKind
  readonly objectId: string | null
  readonly objectFilter: string
  readonly notificationId: string | null
  readonly waitingShown: boolean
  show(view: SandboxView): void
  setEnvironment(environment: SandboxEnvironment): void
  setObjectKind(kind: SandboxObjectKind): void
  setObjectFilter(filter: string): void
  /** Selects an object in the list of its kind. */
  showObject(object: Pick<SandboxObject, 'kind' | 'id'>): void
  selectNotification(id: string): void
  setWaitingShown(shown: boolean): void
}

export function createSandboxSlice({
  set,
  get,
  subscribe,
}: FeatureTools<
  SandboxSlice,
  {
    readonly core: CoreSlice
    readonly navigation: NavigationSlice
    readonly sandbox: SandboxSlice
  }
>): SandboxSlice {
  const place = (): Params<'sandbox'> => {
    const { view, environment, objectKind, objectId, notificationId } = get()
    return {
      view,
      mode: environment === 'sandbox-live' ? 'live' : undefined,
      kind: view === 'objects' ? objectKind : undefined,
      id: (view === 'objects' ? objectId : view === 'log' ? notificationId : null) ?? undefined,
    }
  }
  subscribe((now, before) => {
    const { select, at } = now.navigation
    if (isRouted('sandbox', now, before)) {
      const { mode, view = 'trigger', kind, id = null } = at.sandbox
      set({
        view,
        environment: mode === undefined ? 'sandbox-test' : 'sandbox-live',
        ...(kind === undefined ? {} : { objectKind: kind, objectId: id }),
        ...(view === 'log' ? { notificationId: id } : {}),
      })
    } else if (now.sandbox !== before.sandbox) select('sandbox', place())
  })
  return {
    view: 'trigger',
    environment: 'sandbox-test',
    objectKind: 'transaction',
    objectId: null,
    objectFilter: '',
    notificationId: null,
    waitingShown: false,
    show(view) {
      set({ view })
    },
    setEnvironment(environment) {
      set({ environment, objectId: null, notificationId: null })
    },
    setObjectKind(kind) {
      set({ objectKind: kind, objectId: null })
    },
    setObjectFilter(filter) {
      set({ objectFilter: filter })
    },
    showObject({ kind, id }) {
      const { objectKind, objectFilter } = get()
      set({
        view: 'objects',
        objectKind: kind,
        objectId: id,
        objectFilter: kind === objectKind ? objectFilter : '',
      })
    },
    selectNotification(id) {
      set({ notificationId: id })
    },
    setWaitingShown(shown) {
      set({ waitingShown: shown })
    },
  }
}
